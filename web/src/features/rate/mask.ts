import type { SubjectProfile } from "../../schema";

const KNOWN = [
  "Anthropic", "Claude", "OpenAI", "ChatGPT", "GPT", "Google", "Gemini", "Gemma", "DeepMind", "Meta", "Llama", "Mistral", "Qwen",
  "Alibaba", "DeepSeek", "xAI", "Grok", "Kimi", "Moonshot", "MiniMax", "NVIDIA", "Nemotron", "Cohere", "Amazon", "Microsoft",
] as const;
const SHORTEST = 4;

/** A pattern of the names that would tell who wrote a text. */
export function tellingNames(subjects: readonly SubjectProfile[]): RegExp {
  const own = subjects.flatMap(({ model, family }) => [...model.split(/[^a-z]+/i), family]);
  const names = new Set<string>(KNOWN.map((name) => name.toLowerCase()));
  for (const name of own) if (name.length >= SHORTEST && /^[a-z]+$/i.test(name)) names.add(name.toLowerCase());
  return new RegExp(`\\b(?:${[...names].join("|")})\\b`, "gi");
}

/** A text without the names that would tell who wrote it. */
export function masked(text: string, names: RegExp): string {
  return text.replaceAll(names, (name) => "▮".repeat(name.length));
}
