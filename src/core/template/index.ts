/**
 * Templates for user names, as in Vault: a subset of Go's text/template with named fields. The length of a template, the depth of its
 * blocks, the work of a run and the length of the output are limited.
 */
import { invalid, type KernelError } from '../base/errors.ts'
import { MAX_TEMPLATE_CHARACTERS } from './limits.ts'
import { parsePieces } from './parse.ts'
import { runTemplate, type TemplateInput } from './run.ts'
import { readPieces } from './tokens.ts'

export type { TemplateFields } from './function.ts'
export type { TemplateInput } from './run.ts'

export interface CompiledTemplate {
  /** The fields and functions that occur in the template, even in parts that a run does not evaluate. */
  readonly named: { readonly fields: ReadonlySet<string>; readonly functions: ReadonlySet<string> }
  /**
   * Runs the template. The result has at most 4,096 bytes. `truncate` and `truncate_sha256` never cut a character of several bytes in two:
   * they omit a character that does not fit.
   * @throws KernelError 400 if a field is missing, if an operand has the wrong kind, if a position is outside of a string, if the run takes
   * too much work, if a string is too long, or if the output is not UTF-8.
   */
  run(input: TemplateInput): string
}

/** The most recently compiled templates, by parameter name and template text. */
const compiledTemplates = /* @__PURE__ */ new Map<string, CompiledTemplate>()

const MAX_COMPILED_TEMPLATES = 32

/**
 * @param parameter The name of the parameter that contains the template. All error messages contain this name. They never contain parts of
 * the template or of its fields.
 * @throws KernelError 400 if the template is invalid, if it calls an unknown function or passes a wrong number of operands, or if it has
 * more than 32,768 characters.
 */
export function compileTemplate(text: string, parameter: string): CompiledTemplate {
  const refuse = (rule: string): KernelError => invalid(`${parameter}: ${rule}`)
  if (text.length > MAX_TEMPLATE_CHARACTERS) throw refuse(`a template must have at most ${MAX_TEMPLATE_CHARACTERS} characters`)
  const key = `${parameter} ${text}`
  const known = compiledTemplates.get(key)
  if (known) return known
  const parsed = parsePieces(readPieces(text, refuse), refuse)
  const template: CompiledTemplate = { named: parsed.named, run: (input) => runTemplate(parsed, parameter, input) }
  if (compiledTemplates.size === MAX_COMPILED_TEMPLATES) compiledTemplates.delete(compiledTemplates.keys().next().value as string)
  compiledTemplates.set(key, template)
  return template
}
