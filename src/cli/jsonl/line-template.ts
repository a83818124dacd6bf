/** Templates such as `customer:{id}`, which are filled with members of a JSON object. */
import { usageError } from '../command-error.ts'
import { memberSpan } from './member-span.ts'

/** Fills a template from a line. Throws an Error if the line lacks a member. */
export type LineTemplate = (line: string, object: Readonly<Record<string, unknown>>) => string

const PART = /\{\{|\}\}|\{([^{}]+)\}|[{}]|[^{}]+/g

/** @throws CommandError `usage` for a brace without a partner. `{{` and `}}` are braces of the text. */
export function lineTemplate(option: string, template: string): LineTemplate {
  const parts = [...template.matchAll(PART)].map(([text, name]): string | { readonly name: string } => {
    if (name !== undefined) return { name }
    if (text === '{' || text === '}') throw usageError(`--${option}: write {name} for a member, and {{ or }} for a brace`)
    return text === '{{' ? '{' : text === '}}' ? '}' : text
  })
  return (line, object) => parts.map((part) => (typeof part === 'string' ? part : memberText(line, object, part.name))).join('')
}

/** Numbers are taken from the text, because large ones would lose digits. */
function memberText(line: string, object: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(object, name) ? object[name] : undefined
  if (typeof value === 'string') return value
  const span = typeof value === 'number' || typeof value === 'boolean' ? memberSpan(line, name) : undefined
  if (!span) throw new Error(`the member ${name} must be a string, a number or a boolean`)
  return line.slice(span.from, span.to)
}
