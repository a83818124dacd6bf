/**
 * Templates of names: a part of Go's text/template, over named fields, with limits on length, depth, work and result (source:
 * behaviour of the originals).
 */
import { invalid, type KernelError } from '../base/errors.ts'
import { MAX_TEMPLATE_CHARACTERS } from './limits.ts'
import { parsePieces } from './parse.ts'
import { runTemplate, type TemplateInput } from './run.ts'
import { readPieces } from './tokens.ts'

export type { TemplateFields } from './function.ts'
export type { TemplateInput } from './run.ts'

export interface CompiledTemplate {
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
const compiledTemplates = /* @__PURE__ */ new Map<string, CompiledTemplate>()

const MAX_COMPILED_TEMPLATES = 32

/**
 * @param parameter Named in refusals, those of later runs included. No message holds anything of the template or the fields.
 * @throws KernelError 400 for what is no template, unknown functions, wrong numbers of operands, and more than 32,768 characters.
 */
export function compileTemplate(text: string, parameter: string): CompiledTemplate {
  const refuse = (rule: string): KernelError => invalid(`${parameter}: ${rule}`)
  if (text.length > MAX_TEMPLATE_CHARACTERS) throw refuse(`a template must be at most ${MAX_TEMPLATE_CHARACTERS} characters`)
  const key = `${parameter} ${text}`
  const known = compiledTemplates.get(key)
  if (known) return known
  const parsed = parsePieces(readPieces(text, refuse), refuse)
  const template: CompiledTemplate = { named: parsed.named, run: (input) => runTemplate(parsed, parameter, input) }
  if (compiledTemplates.size === MAX_COMPILED_TEMPLATES) compiledTemplates.delete(compiledTemplates.keys().next().value as string)
  compiledTemplates.set(key, template)
  return template
}
