/**
 * Templates of names: a part of Go's text/template, over named fields, with limits on length, depth, work and result (source:
 * behaviour of the originals).
 */
import { invalid, type KernelError } from '../base/errors.ts'
import { LONGEST_TEMPLATE } from './limits.ts'
import { parseTemplate } from './parse.ts'
import { runTemplate, type TemplateInput } from './run.ts'
import { readPieces } from './tokens.ts'

export type { Fields } from './function.ts'
export type { TemplateInput } from './run.ts'

export interface Template {
  /** The fields and the functions that it names, whether or not a run comes by them. */
  readonly named: { readonly fields: ReadonlySet<string>; readonly functions: ReadonlySet<string> }
  /**
   * The text it makes: at most 4,096 bytes, each run for itself. `truncate` and `truncate_sha256` leave out a character that would be cut.
   * @throws KernelError 400 for fields that are not given, operands of the wrong kind, places outside of a text, too much work, too long
   * texts, and a result that is not UTF-8.
   */
  run(input: TemplateInput): string
}

/** Templates that were compiled last, by parameter and text: every name is made by one of a few. */
const COMPILED = /* @__PURE__ */ new Map<string, Template>()

const MOST_COMPILED = 32

/**
 * @param parameter Named in refusals, those of later runs included. No message holds anything of the template or the fields.
 * @throws KernelError 400 for what is no template, unknown functions, wrong numbers of operands, and more than 32,768 characters.
 */
export function compileTemplate(text: string, parameter: string): Template {
  const refuse = (rule: string): KernelError => invalid(`${parameter}: ${rule}`)
  if (text.length > LONGEST_TEMPLATE) throw refuse(`a template must be at most ${LONGEST_TEMPLATE} characters`)
  const key = `${parameter} ${text}`
  const known = COMPILED.get(key)
  if (known) return known
  const parsed = parseTemplate(readPieces(text, refuse), refuse)
  const template: Template = { named: parsed.named, run: (input) => runTemplate(parsed, parameter, input) }
  if (COMPILED.size === MOST_COMPILED) COMPILED.delete(COMPILED.keys().next().value as string)
  COMPILED.set(key, template)
  return template
}
