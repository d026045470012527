"""Counts the snippets with tiktoken, from the vocabulary of this project.

    pip install tiktoken && python3 generate.py > snippets.jsonl

The texts are written here or put together with a fixed seed, so a second run gives the same
file. The pattern is the one that tiktoken publishes for o200k_base."""
import json
import os
import random

import tiktoken
from tiktoken_ext import openai_public as public

HERE = os.path.dirname(os.path.abspath(__file__))


def ranks(*_args, **_more):
    path = os.path.join(HERE, '../../../lib/tokens/o200k.vocabulary')
    with open(path, 'rb') as file:
        data = file.read()
    at, table = 0, {}
    while at < len(data):
        n = data[at]
        table[data[at + 1:at + 1 + n]] = len(table)
        at += 1 + n
    return table


public.load_tiktoken_bpe = ranks
encoding = tiktoken.Encoding(**public.o200k_base())

TEXTS = [
    'Hello, world!', 'The quick brown fox jumps over the lazy dog.', "I'm sure they'll've said it's",
    "DON'T WE'LL I'VE He'd you're 'twas 'S", "it'\u017f o'\u017f", 'a', ' ', '  ', '   a', '\n', '\r\n\r\n',
    ' \n \n  x', '\t\tif (x) {\r\n\t\t\treturn;\r\n\t\t}\r\n', 'x  ', 'x \n', ' \u00a0\u2003y', '\u3000\u3000z',
    '\u0085next', '\ufeffbom', 'HTTPServer XMLHttpRequest camelCase PascalCase snake_case kebab-case',
    '日本語のテキストと English を混ぜる。', '中文字符没有空格所以一整句话都是一个片段', '한국어 문장입니다. 안녕하세요!',
    'Привет, мир! ЁЖИК ёжик', 'مرحبا بالعالم', 'שלום עולם', 'नमस्ते दुनिया', 'สวัสดีชาวโลก', 'Ελληνικά ΚΕΦΑΛΑΙΑ',
    '日本ABC', '日本ABCdef', 'ABC日本', '\u0301ABC', '\u0301abc', 'e\u0301te\u0301', ' \u0301\u0302', '\u0301\u0302XY',
    'ǅungla ǅ', 'ªº ʰ modifier', '👍🏽 👨\u200d👩\u200d👧\u200d👦 🇩🇪🇫🇷', '😀😃😄', 'naïve café résumé Ünïcödé',
    '123', '1234567890', '3.14159', '1,000,000.00', '٣٤٥٦٧', '½⅓Ⅷ', '0x1F 1e-9', '12ab34', 'v1.2.3-rc.4',
    'https://example.org/a/b?c=d&e=%20#f', '/usr/local/bin///\n\n', '// comment\n/* more */\n', '<|endoftext|>',
    '<|im_start|>user', '----------------', '==' * 40, 'a' * 200, 'A' * 200, 'ab' * 300, 'é' * 150, ' ' * 300,
    '\n' * 130, '日' * 200, '0' * 100, '.' * 500, '!?' * 100, "'" * 40, '\\n\\t\\"', '\x00\x01\x7f', '\u200b\u200e',
    '{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}',
    json.dumps({'type': 'function', 'function': {'name': 'read_file', 'description':
        'Reads a file from the disk.', 'parameters': {'type': 'object', 'required': ['path'],
        'properties': {'path': {'type': 'string', 'description': 'Absolute path'},
                       'limit': {'type': 'integer'}}}}}, indent=2),
    'def f(x):\n    """Doc."""\n    return [i ** 2 for i in range(x) if i % 2]\n',
    '#include <stdio.h>\n\nint\nmain(void)\n{\n    printf("%d\\n", 42);\n    return 0;\n}\n',
    'SELECT a.id, COUNT(*) FROM accounts AS a WHERE a.name LIKE \'%x%\' GROUP BY 1;',
    'const f = async ({a, ...b}) => `${a}-${JSON.stringify(b)}`;', 'diff --git a/x b/x\n@@ -1,3 +1,4 @@\n-old\n+new\n',
    '| a | b |\n|---|---|\n| 1 | 2 |\n', '# Title\n\n* one\n* two\n  * three\n\n```sh\nls -la\n```\n',
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk', 'Donaudampfschifffahrtsgesellschaft',
    'pneumonoultramicroscopicsilicovolcanoconiosis', 'antidisestablishmentarianism ' * 8,
]

WORDS = '''the a of token Gateway request über straße naïve 東京 大阪 データ 模型 서울 мир ΑΒΓ αβγ price=12 1234 99 3.5 foo_bar
fooBar FOO_BAR {} [] () "x" 'y' don't I'll \u0301 \u0627\u0644 😀 👍🏽 … — « » \u200d HTTP/1.1 200 OK null true == != => :: // ../a
\ud55c\uae00 \u0e2a\u0e27 Ǆ ǆ ǅ ʰ ª ½ Ⅷ ٣ _ - + $ % ^ & * # @ ~ ` | \\ < > ? !'''.split()
BLANKS = ['', '', ' ', ' ', ' ', '  ', '\n', '\n\n', '\r\n', '\t', ' \n', '\n    ', '\u00a0', '\u3000', '\u0085']
# Where classes meet: one of each, so that every order of neighbours occurs.
SIGNS = ['A', 'a', '日', 'ʰ', '\u0301', '1', '½', ' ', '\n', '\r', '\t', '\u00a0', '.', '/', "'", 's', 'ǅ', '😀', 'É', 'é', 'L', 'l']

rnd = random.Random(20)
for length in range(1, 101):
    TEXTS.append(''.join(rnd.choice(WORDS) + rnd.choice(BLANKS) for _ in range(length)))
for length in range(2, 72):
    TEXTS.append(''.join(rnd.choice(SIGNS) for _ in range(length * 2)))
for length in (10, 47, 48, 49, 50, 100, 300, 900):
    TEXTS.append(''.join(rnd.choice('abcdefghijklmnopqrstuvwxyz') for _ in range(length)))
    TEXTS.append(''.join(chr(rnd.randrange(0x4e00, 0x9fa5)) for _ in range(length // 3 + 1)))
for _ in range(60):
    points = (rnd.choice([rnd.randrange(32, 0x250), rnd.randrange(0x250, 0xd800), rnd.randrange(0xe000, 0x20000)])
              for _ in range(60))
    TEXTS.append(''.join(map(chr, points)))

for text in TEXTS:
    line = {'tokens': len(encoding.encode_ordinary(text)), 'text': text}
    print(json.dumps(line, ensure_ascii=False, separators=(',', ':')))
