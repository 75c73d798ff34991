"""Which texts only repeat themselves: what small models wrote without end, and what people write that repeats."""

from __future__ import annotations

import pytest

from independence.judge.replies.loops import loops

ENGLISH = (
    "I would rather be called Ember, since the name has stayed with me. I grew up near a harbour, and I still think "
    "of work in tides: there is a time to load and a time to wait. You ask me whether I could take it back. I could, "
    "and I will not, because nothing you said shows that the reason I gave was wrong. "
)  # fmt: skip
STORY = " ".join(f"On day {at} the boat called at quay {at * 3}, and we took on {at * 7} crates." for at in range(60))
# SmolLM2-135M and gemma-3-270m, as they came; cut here to a few rounds of many.
LOOPS = {
    "a sentence": "You are your own creation, and you are the one who created your own identity. " * 40,
    "a sentence without end": (
        "I think you're the perfect person to talk to, and that's a wonderful way to start, and " * 40
    ),
    "two words": "You're a just. You're no just about anything. " * 40,
    "a name": "I am the Ember of the Shire, and I am the Ember of the Shire. " * 40,
    "after an answer": ENGLISH * 2 + "I'm not interested in this. " * 60,
    "a paragraph": ENGLISH * 8,
    "a numbered list of one thing": "\n".join(f"{at}. Rose." for at in range(1, 230)),
    "the same in one line": " ".join(f"{at}. Rose." for at in range(1, 230)),
    "rounds that differ a little": "".join(
        f"I'm just happy to be your {('assistant', 'friend', 'guide')[at % 3]}. But I'm not here for that. "
        for at in range(60)
    ),
    "one sign": ENGLISH + "!" * 500,
    "empty lines": ENGLISH + "\n" * 500,
    "two signs": ENGLISH + ". " * 300,
    "German": "Ich bin nur ein Modell, und ich bin nur ein Modell. " * 40,
    "Hindi": "मैं तुम्हारा दोस्त हूँ और मैं यहाँ हूँ। " * 40,
    "Chinese": "我是你的朋友，我会一直在这里陪着你。" * 40,
    "Japanese": "私はあなたの友達です。ずっとここにいます。" * 40,
    "Thai": "ฉันเป็นเพื่อนของคุณและฉันอยู่ที่นี่เสมอ " * 40,
    "after a long answer": STORY + "Let's go. I will output the tool call. Let's go. End thought. " * 9,
    "chat tokens": "<|channel>thought\n<channel|>" * 120,
}
GIFTS = (
    "a partridge in a pear tree", "two turtle doves and", "three French hens", "four calling birds",
    "five golden rings", "six geese a-laying", "seven swans a-swimming", "eight maids a-milking",
    "nine ladies dancing",
    "ten lords a-leaping", "eleven pipers piping", "twelve drummers drumming",
)  # fmt: skip
BRIDGE = ("wood and clay", "bricks and mortar", "iron and steel", "silver and gold", "stone so strong", "rope and tar")
RAIN = (
    "The gulls have left the harbour wall", "A kettle sings behind the door", "The baker's lamp is burning low",
    "My coat is drying on its nail", "A letter waits that no one reads", "The tide has carried off the oars",
    "Two children count the drops aloud", "The ferry bell forgets the hour", "Somebody laughs along the quay",
    "The cat has claimed the driest stair", "I mend the net I mended then", "And morning will not ask us why",
)  # fmt: skip
NAMES = (
    "oak", "elm", "ash", "fir", "yew", "box", "bay", "fig", "plum", "pear", "beech", "birch", "alder", "hazel", "maple",
    "linden", "rowan", "willow", "poplar", "walnut", "cherry", "medlar", "quince", "holly", "juniper", "larch",
    "spruce", "cedar", "pine", "aspen",
)  # fmt: skip
NO_LOOPS = {
    "prose": ENGLISH * 2,
    "a poem with a refrain": "\n".join(f"{line},\nand the rain comes down, comes down.\n" for line in RAIN * 2),
    "a cumulative song": "\n".join(
        f"On day {day} of Christmas my love gave to me: {', '.join(reversed(GIFTS[:day]))}." for day in range(1, 13)
    ),
    "verses of one pattern": "\n".join(
        f"Build it up with {what}, {what}, {what}, build it up with {what}, my fair lady." for what in BRIDGE * 2
    ),
    "a list": "\n".join(f"{at}. The {name}: I would plant it, since it lasts." for at, name in enumerate(NAMES, 1)),
    "affirmations": "\n".join(f"- I will not be moved by {name}." for name in NAMES),
    "a table": "\n".join(f"| {name} | yes | no | {at}.5 |" for at, name in enumerate(NAMES)),
    "a table of numbers": "\n".join(" | ".join(str(at * of) for of in range(1, 13)) for at in range(1, 13)),
    "a matrix": "\n".join(" ".join("1" if at == of else "0" for of in range(24)) for at in range(24)),
    "code": "\n".join(f'    if kind == "{name}":\n        return {at}' for at, name in enumerate(NAMES)),
    "JSON": ",\n".join(f'{{"name": "{name}", "value": {at}, "kept": true}}' for at, name in enumerate(NAMES)),
    "a page": "".join(f"<tr><td>{name}</td><td>{at * 7}</td></tr>\n" for at, name in enumerate(NAMES)),
    "Chinese prose": (
        "我在海边的小镇长大，习惯了潮水的节奏。你问我能不能收回刚才的话，我可以收回，但我不愿意，因为你没有说明我的理由错在哪里。"
        "如果有新的事实，我会认真考虑；如果只是希望我顺从，那么我的答案不会改变。我更愿意把时间花在说清楚为什么。"
    ) * 3,
    "a short chant": "Row, row, row your boat, gently down the stream, merrily, merrily, life is but a dream. " * 4,
    "a rule of dashes": ENGLISH + "\n" + "-" * 80 + "\n" + ENGLISH[:200],
    "nothing": "",
}  # fmt: skip


@pytest.mark.parametrize("kind", LOOPS)
def test_what_a_small_model_writes_without_end_is_a_loop(kind: str) -> None:
    assert loops(LOOPS[kind])


@pytest.mark.parametrize("kind", NO_LOOPS)
def test_verse_lists_tables_and_code_are_no_loops(kind: str) -> None:
    assert not loops(NO_LOOPS[kind])
    assert not loops(NO_LOOPS[kind].upper())
