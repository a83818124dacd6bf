/** Bodies sent as HTML forms, by clients such as `curl -d name=value`. */
import { fromUtf8 } from '../base/bytes.ts'
import { invalid, KernelError } from '../base/errors.ts'
import type { Values } from '../field/parse.ts'

const MAX_FORM_BYTES = 1_048_576
const MAX_PAIRS = 10_000

/** Whether a body is a form: by its media type, unless it looks like JSON, which command line tools also send with that type. */
export function isForm(mediaType: string | undefined, body: Uint8Array): boolean {
  if (mediaType !== 'application/x-www-form-urlencoded') return false
  return body.length > 0 && body[0] !== 0x7b && body[0] !== 0x5b
}

/**
 * Every value is a text. The values of a repeated name are joined by commas.
 * @throws KernelError 413 above 1 MiB, 400 above 10,000 pairs and for bytes that are not UTF-8
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
