/** Policy texts in requests: plain, or in base64 (source: behaviour of the originals). */
import { decodeBase64, encodeBase64 } from '../../core/base/base64.ts'
import { fromUtf8 } from '../../core/base/bytes.ts'
import { invalid } from '../../core/base/errors.ts'
import { MOST_POLICY_TEXT } from '../../core/policy/index.ts'

/** The longest policy in base64, with room for line breaks. */
const MOST_SENT = 2 * MOST_POLICY_TEXT

/**
 * The decoded text. Base64 cannot be mistaken for rules: it has neither braces nor quotes.
 * @throws KernelError 400 for text longer than any policy, before it is read.
 */
export function plainText(given: string): string {
  if (given.length > MOST_SENT) throw invalid(`policy: a policy is at most ${MOST_POLICY_TEXT} bytes long`)
  if (/[^A-Za-z0-9+/=\s]/.test(given)) return given
  const packed = given.replaceAll(/\s+/g, '')
  try {
    const bytes = decodeBase64(packed, 'policy')
    return encodeBase64(bytes) === packed ? fromUtf8(bytes) : given
  } catch {
    return given
  }
}
