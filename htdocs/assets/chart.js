// Bar charts as SVG: amounts by day, stacked by series, and ranked bars. Every chart is a figure with
// a sentence that says what it shows, a readout that follows pointer and keyboard, and a table with
// the same numbers. Values are BigInt (nano-credits, tokens); only pixels are floating point.
import {h, newId, replace, svg} from '/assets/dom.js';
import {table} from '/assets/parts.js';

const HEIGHT = 220;
const EDGE = {top: 12, right: 16, bottom: 26, left: 60};
export const MOST_SERIES = 4;

const largest = values => values.reduce((a, b) => (b > a ? b : a), 0n);
const sum = values => values.reduce((a, b) => a + b, 0n);

// The distance of the grid's lines: 1, 2 or 5 times a power of ten, so that 3 or 4 lines are enough.
export function gridStep(most) {
    if (most <= 0n) return 1n;
    let unit = 10n ** BigInt(Math.max(0, String(most).length - 2));
    for (;;) {
        for (const factor of [1n, 2n, 5n])
            if (unit * factor * 4n >= most) return unit * factor;
        unit *= 10n;
    }
}

function hash(text) {
    let value = 7;
    for (const c of text) value = (value * 31 + c.codePointAt(0)) % 65521;
    return value;
}

// {name: 1…4 or 'other'}: the largest get a colour that hangs on their name, not on their rank, so
// that a filter or another month does not repaint them. `totals` is a Map of name to BigInt.
export function seriesColours(totals) {
    const colours = {};
    const free = new Set([1, 2, 3, 4]);
    const large = [...totals].sort((a, b) => (b[1] > a[1] ? 1 : b[1] < a[1] ? -1 : a[0].localeCompare(b[0])))
        .slice(0, MOST_SERIES).map(([name]) => name).sort();
    for (const name of large) {
        let colour = hash(name) % MOST_SERIES + 1;
        while (!free.has(colour)) colour = colour % MOST_SERIES + 1;
        free.delete(colour);
        colours[name] = colour;
    }
    for (const name of totals.keys()) colours[name] ??= 'other';
    return colours;
}

function frame({title, summary, body, legend, asTable, unit}) {
    const id = newId('chart');
    const place = h('div', {class: 'chart-place'}, body);
    const toggle = h('button', {type: 'button', class: 'btn quiet small', 'aria-pressed': 'false'}, 'Show as table');
    toggle.addEventListener('click', () => {
        const on = toggle.getAttribute('aria-pressed') !== 'true';
        toggle.setAttribute('aria-pressed', String(on));
        replace(place, on ? asTable() : body);
    });
    return h('figure', {class: 'chart', 'aria-labelledby': id},
        h('figcaption', h('div', h('h3', {id}, title), h('p', {class: 'muted small'}, summary)), toggle),
        legend, unit ? h('p', {class: 'chart-unit label'}, unit) : null, place);
}

const legendOf = series => (series.length < 2 ? null : h('ul', {class: 'legend'},
    series.map(s => h('li', h('span', {class: `swatch series-${s.colour}`, 'aria-hidden': 'true'}), h('span', s.name)))));

function hatch(id) {
    return svg('defs', {}, svg('pattern', {id, width: 6, height: 6, patternUnits: 'userSpaceOnUse',
        patternTransform: 'rotate(45)'}, svg('rect', {width: 3, height: 6, class: 'hatch'})));
}

// One column: its parts from the bottom, a 2 px gap between them, and a place to point at.
function column(day, i, geometry, hatchId) {
    const {x, width, y, base} = geometry;
    const parts = [];
    let below = 0n;
    for (const part of day.parts) {
        if (part.value <= 0n) continue;
        const top = y(below + part.value);
        const bottom = y(below) - (below > 0n ? 2 : 0);
        parts.push(svg('rect', {x: x(i), y: top, width, height: Math.max(1, bottom - top), rx: Math.min(2, width / 4),
            class: `bar series-${part.colour}`}));
        below += part.value;
    }
    if (day.partial && below > 0n)
        parts.push(svg('rect', {x: x(i), y: y(below), width, height: base - y(below), fill: `url(#${hatchId})`}));
    return svg('g', {class: 'column', role: 'img', tabindex: i === 0 ? 0 : -1, 'aria-label': day.text},
        svg('rect', {x: x(i) - geometry.gap / 2, y: EDGE.top, width: width + geometry.gap, height: base - EDGE.top, class: 'reach'}), parts);
}

function axisY(step, most, y, width, tick) {
    const lines = [];
    for (let at = 0n; at <= most; at += step)
        lines.push(svg('g', {}, svg('line', {x1: EDGE.left, x2: width - EDGE.right, y1: y(at), y2: y(at), class: at === 0n ? 'base' : 'grid'}),
            svg('text', {x: EDGE.left - 8, y: y(at) + 4, 'text-anchor': 'end'}, tick(at, step))));
    return lines;
}

function axisX(days, geometry, width) {
    const every = Math.max(1, Math.ceil(days.length * 64 / (width - EDGE.left - EDGE.right)));
    return days.map((day, i) => ((days.length - 1 - i) % every ? null
        : svg('text', {x: geometry.x(i) + geometry.width / 2, y: HEIGHT - 6, 'text-anchor': 'middle'}, day.label)));
}

// Arrow keys, Home and End move between the columns, which are one stop of the Tab key together.
function walkable(columns) {
    const go = i => {
        const next = columns[Math.max(0, Math.min(columns.length - 1, i))];
        for (const one of columns) one.setAttribute('tabindex', one === next ? 0 : -1);
        next.focus();
    };
    columns.forEach((one, i) => one.addEventListener('keydown', event => {
        const to = {ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: columns.length - 1}[event.key];
        if (to === undefined) return;
        event.preventDefault();
        go(to);
    }));
}

function draw(days, width, {tick, title, readout, say}) {
    const most = largest(days.map(day => sum(day.parts.map(p => p.value))));
    const step = gridStep(most);
    const top = most > 0n ? (most + step - 1n) / step * step : step;
    const base = HEIGHT - EDGE.bottom;
    const slot = (width - EDGE.left - EDGE.right) / days.length;
    const gap = Math.max(2, Math.min(12, slot * 0.28));
    const geometry = {base, gap, width: Math.max(1, Math.min(44, slot - gap)),
        x: i => EDGE.left + slot * i + (slot - Math.max(1, Math.min(44, slot - gap))) / 2,
        y: value => base - Number(value * 100000n / top) / 100000 * (base - EDGE.top)};
    const hatchId = newId('hatch');
    const columns = days.map((day, i) => column(day, i, geometry, hatchId));
    columns.forEach((one, i) => {
        const show = () => say(days[i].text);
        one.addEventListener('pointerenter', show);
        one.addEventListener('focus', show);
    });
    walkable(columns);
    return svg('svg', {viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: 'group', 'aria-label': title,
        'aria-describedby': readout.id}, hatch(hatchId), axisY(step, top, geometry.y, width, tick), axisX(days, geometry, width), columns);
}

// columnChart({title, summary, unit, tick, series, days, columns})
//   series   [{name, colour}]: for the legend
//   days     [{label, text, partial, parts: [{value, colour}], cells: [node, …]}], oldest first;
//            `text` is the whole of a day in words, `cells` its row of the table
//   columns  [{title, num}] of the table that `cells` fill
//   tick     (BigInt, step) -> text of the y axis
export function columnChart({title, summary, unit, tick, series, days, columns}) {
    const readout = h('p', {class: 'readout small', id: newId('readout')}, 'Point at a bar, or use the arrow keys.');
    const place = h('div', {class: 'chart-area'});
    const say = text => { readout.textContent = text; };
    let width = 0;
    const redraw = () => {
        const now = Math.floor(place.clientWidth);
        if (now === width || now === 0) return;
        width = now;
        const focused = [...place.querySelectorAll('.column')].indexOf(document.activeElement);
        replace(place, draw(days, width, {tick, title, readout, say}));
        if (focused >= 0) place.querySelectorAll('.column')[focused].focus();
    };
    new ResizeObserver(redraw).observe(place);
    return frame({title, summary, unit, legend: legendOf(series), body: [place, readout],
        asTable: () => table({caption: title, phone: 'scroll', rows: [...days].reverse(),
            columns: columns.map((c, i) => ({...c, cell: day => day.cells[i]}))})});
}

// rankChart({title, summary, rows: [{name, href, colour, value, text}]}): bars from the largest down,
// each a link to the view that shows only it.
export function rankChart({title, summary, rows, columns}) {
    const most = largest(rows.map(row => row.value));
    const share = value => `${most > 0n ? Number(value * 1000n / most) / 10 : 0}%`;
    const body = h('ol', {class: 'ranks'}, rows.map(row => h('li',
        h('span', {class: 'rank-name truncate'}, row.href ? h('a', {href: row.href, title: row.name}, row.name) : row.name),
        h('span', {class: 'rank-value num'}, row.text),
        h('span', {class: 'rank-bar', 'aria-hidden': 'true'},
            h('span', {class: `series-${row.colour ?? 1}`, vars: {'--part': share(row.value)}})))));
    return frame({title, summary, body, asTable: () => table({caption: title, phone: 'scroll', rows,
        columns: columns.map((c, i) => ({...c, cell: row => row.cells[i]}))})});
}
