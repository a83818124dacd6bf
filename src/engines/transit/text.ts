/**
 * `<prefix>:v<version>:<body>`, or as a ring's own template says: ciphertexts, signatures and HMACs (source: behaviour of the
 * originals).
 */
import { invalid } from '../../core/base/errors.ts'

export interface Versioned {
  readonly version: number
  readonly body: string
}

/** The text before the version and the text behind it. */
export interface TextForm {
  readonly head: string
  readonly tail: string
}

const VERSION = '{{version}}'
const forms = new Map<string, TextForm>()

/** What HMACs have always, and everything else of rings without a template of their own. */
export function serviceForm(prefix: string): TextForm {
  const known = forms.get(prefix)
  if (known) return known
  const form = { head: `${prefix}:v`, tail: ':' }
  forms.set(prefix, form)
  return form
}

/** A ring's own template, which {@link checkTemplate} has let pass. */
export function templateForm(template: string): TextForm {
  const at = template.indexOf(VERSION)
  return { head: template.slice(0, at), tail: template.slice(at + VERSION.length) }
}

/** As a template, for whoever reads it elsewhere. */
export const templateOf = ({ head, tail }: TextForm): string => head + VERSION + tail

/** Every template is tried on versions up to this one. */
const TRIED = 1000
/** What nobody can tell from a version of more digits. */
const DIGITS_TOUCH = /\d\{\{version\}\}|\{\{version\}\}\d/

/** @throws KernelError 400 for a template whose texts could not be taken apart again */
export function checkTemplate(template: string): void {
  const parts = template.split(VERSION)
  if (parts.length !== 2 || parts[1] === '')
    throw invalid(`version_template: must have one ${VERSION} in it, and text behind that`)
  if (DIGITS_TOUCH.test(template)) throw invalid(`version_template: no digit may stand beside ${VERSION}`)
  const form = templateForm(template)
  for (let version = 1; version <= TRIED; version++) {
    const read = parseVersioned(form, versioned(form, version, BODY), 'version_template')
    if (read.version !== version || read.body !== BODY)
      throw invalid('version_template: what it makes cannot be taken apart again')
  }
}

/** As what stands behind a version: base64, which may begin with a digit. */
const BODY = '1+/1=='

export const versioned = ({ head, tail }: TextForm, version: number, body: string): string => head + version + tail + body

/** Longer than any signature or HMAC, short enough to decode at once. */
const MAX_MARK_CHARACTERS = 131_072

/** {@link parseVersioned} for signatures and HMACs, which have an end. @throws KernelError 400 */
export function parseMark(form: TextForm, text: string, what: string): Versioned {
  if (text.length > MAX_MARK_CHARACTERS) throw invalid(`${what}: is longer than any can be`)
  return parseVersioned(form, text, what)
}

/** Signs and leading zeros are accepted, as the originals do. @throws KernelError 400 naming `what` */
export function parseVersioned({ head, tail }: TextForm, text: string, what: string): Versioned {
  if (!text.startsWith(head)) throw invalid(`${what}: no prefix ${head}`)
  const end = text.indexOf(tail, head.length)
  if (end < 0) throw invalid(`${what}: wrong number of fields`)
  const digits = text.slice(head.length, end)
  if (!/^[+-]?\d{1,19}$/.test(digits)) throw invalid(`${what}: version is not a number`)
  return { version: Number(digits), body: text.slice(end + tail.length) }
}
