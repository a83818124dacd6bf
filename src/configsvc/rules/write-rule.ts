/**
 * Writes rules in HCL.
 */
import { RULE_KEYS } from './rule.ts'

/** A rule to be written: its key, the name (empty where there is none), and the level of every field or of each. */
export interface WrittenRule {
  readonly key: string
  readonly name: string
  readonly level: string
  readonly intentions?: string
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', $: '\\x24' }

/** A text as HCL writes it: whatever it holds, it stays one string, without interpolations. */
export const hclString = (text: string): string => `"${text.replace(/["\\\n]|\$(?=\{)/g, (found) => ESCAPES[found] as string)}"`

/** @param quote Writes the name. */
export function writeRule({ key, name, level, intentions }: WrittenRule, quote: (name: string) => string = hclString): string {
  if (RULE_KEYS.get(key)?.named !== true) return `${key} = "${level}"\n`
  const lines = [`policy = "${level}"`, ...(intentions === undefined ? [] : [`intentions = "${intentions}"`])]
  return `${key} ${quote(name)} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`
}
