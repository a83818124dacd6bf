/** Parses bodies that are HTML forms, as clients such as `curl -d name=value` send them. */
import { fromUtf8 } from '../base/bytes.ts'
import { invalid, KernelError } from '../base/errors.ts'
import type { Values } from '../field/parse.ts'

const MAX_FORM_BYTES = 1_048_576
const MAX_PAIRS = 10_000

/**
 * Whether the body is an HTML form. A body that looks like JSON is not treated as a form, because command-line tools send JSON with the
 * media type of forms.
 */
export function isForm(mediaType: string | undefined, body: Uint8Array): boolean {
  if (mediaType !== 'application/x-www-form-urlencoded') return false
  return body.length > 0 && body[0] !== 0x7b && body[0] !== 0x5b
}

/**
 * Parses a form. Every value is a string. If a name occurs several times, its values are joined by commas.
 * @throws KernelError 413 if the form has more than 1 MiB, 400 if it has more than 10,000 pairs or is not valid UTF-8.
 */
export function parseForm(body: Uint8Array): Values {
  if (body.length > MAX_FORM_BYTES)
    throw new KernelError('ERR_REQUEST_TOO_LARGE', `body: a form must not exceed ${MAX_FORM_BYTES} bytes`)
  const values: Record<string, string> = Object.create(null)
  let pairs = 0
  for (const [name, value] of new URLSearchParams(decode(body))) {
    if (++pairs > MAX_PAIRS) throw invalid(`body: a form must have at most ${MAX_PAIRS} pairs`)
    values[name] = name in values ? `${values[name]},${value}` : value
  }
  return { ...values }
}

function decode(body: Uint8Array): string {
  try {
    return fromUtf8(body)
  } catch {
    throw invalid('body: must be UTF-8')
  }
}
