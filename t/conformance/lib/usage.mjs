// Sums that the usage objects of each family promise. `fail(rule, text)` takes what is wrong.

// Returns every input token of a Messages usage object: input_tokens excludes both cache figures.
export function inputTotal(usage) {
    return (
        (usage.input_tokens ?? 0) +
        (usage.cache_creation_input_tokens ?? 0) +
        (usage.cache_read_input_tokens ?? 0)
    );
}

export function checkMessagesUsage(usage, fail) {
    const split = usage.cache_creation;
    if (split && Number.isInteger(usage.cache_creation_input_tokens)) {
        const sum = (split.ephemeral_5m_input_tokens ?? 0) + (split.ephemeral_1h_input_tokens ?? 0);
        if (sum !== usage.cache_creation_input_tokens) {
            fail(
                'm.usage-cache',
                `${sum} by lifetime, ${usage.cache_creation_input_tokens} in all`,
            );
        }
    }
    const thinking = usage.output_tokens_details?.thinking_tokens ?? 0;
    if (thinking > (usage.output_tokens ?? thinking)) {
        fail('m.usage-thinking', `${thinking} of ${usage.output_tokens}`);
    }
}

export function checkChatUsage(usage, fail) {
    const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
    if (total !== prompt + completion) {
        fail('c.usage-sum', `${prompt} + ${completion} is not ${total}`);
    }
    const read = usage.prompt_tokens_details ?? {};
    if ((read.cached_tokens ?? 0) + (read.cache_write_tokens ?? 0) > prompt) {
        fail('c.usage-sum', 'more cached than prompt tokens');
    }
    if ((usage.completion_tokens_details?.reasoning_tokens ?? 0) > completion) {
        fail('c.usage-sum', 'more reasoning than completion tokens');
    }
}

export function checkResponsesUsage(usage, fail) {
    const { input_tokens: input, output_tokens: output, total_tokens: total } = usage;
    if (![input, output, total].every(Number.isInteger)) {
        fail('r.usage-sum', 'input_tokens, output_tokens and total_tokens come together');
        return;
    }
    if (total !== input + output) {
        fail('r.usage-sum', `${input} + ${output} is not ${total}`);
    }
    const read = usage.input_tokens_details ?? {};
    if ((read.cached_tokens ?? 0) + (read.cache_write_tokens ?? 0) > input) {
        fail('r.usage-sum', 'more cached than input tokens');
    }
    if ((usage.output_tokens_details?.reasoning_tokens ?? 0) > output) {
        fail('r.usage-sum', 'more reasoning than output tokens');
    }
}
