import type { Level } from './level.ts'
import { RULE_KEYS } from './rule.ts'

export interface WrittenRule {
  readonly key: string
  /** The name in the rule; empty if the key has no name. */
  readonly name: string
  /** The level of each field in the block of the key. A key without a block has only the field `policy`. */
  readonly fields: { readonly policy: Level } & Readonly<Record<string, Level>>
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', $: '\\x24' }

/** Writes an HCL string without interpolation, whatever characters the text contains. */
export const hclString = (text: string): string => `"${text.replace(/["\\\n]|\$(?=\{)/g, (found) => ESCAPES[found] as string)}"`

/** @param quote Returns a name as a quoted string. */
export function writeRule({ key, name, fields }: WrittenRule, quote: (name: string) => string = hclString): string {
  if (RULE_KEYS.get(key)?.named !== true) return `${key} = "${fields.policy}"\n`
  const lines = Object.entries(fields).map(([field, level]) => `  ${field} = "${level}"\n`)
  return `${key} ${quote(name)} {\n${lines.join('')}}\n`
}
