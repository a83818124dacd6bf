/**
 * Writes rules in HCL.
 */
import type { Level } from './level.ts'
import { RULE_KEYS } from './rule.ts'

/** A rule to be written. */
export interface WrittenRule {
  readonly key: string
  /** Empty where the key takes none. */
  readonly name: string
  /** The level of each field of its block; that of `policy` is all there is where it has no block. */
  readonly fields: { readonly policy: Level } & Readonly<Record<string, Level>>
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', $: '\\x24' }

/** A text as HCL writes it: whatever it holds, it stays one string, without interpolations. */
export const hclString = (text: string): string => `"${text.replace(/["\\\n]|\$(?=\{)/g, (found) => ESCAPES[found] as string)}"`

/** @param quote Writes the name. */
export function writeRule({ key, name, fields }: WrittenRule, quote: (name: string) => string = hclString): string {
  if (RULE_KEYS.get(key)?.named !== true) return `${key} = "${fields.policy}"\n`
  const lines = Object.entries(fields).map(([field, level]) => `  ${field} = "${level}"\n`)
  return `${key} ${quote(name)} {\n${lines.join('')}}\n`
}
