/** The text of a policy in a request, in plain text or base64, as in Vault. */
import { decodeBase64, encodeBase64 } from '../../core/base/base64.ts'
import { fromUtf8 } from '../../core/base/bytes.ts'
import { invalid } from '../../core/base/errors.ts'
import { MAX_POLICY_BYTES } from '../../core/policy/index.ts'

/** The maximum length of a policy in base64, including line breaks. */
const MAX_SENT_CHARACTERS = 2 * MAX_POLICY_BYTES

/**
 * Returns the policy text, decoded if it was given in base64. Plain text cannot be mistaken for base64, because rules contain braces and
 * quotes.
 * @throws KernelError 400 if `given` is too long even for base64. The length of the decoded text is not checked here.
 */
export function plainText(given: string): string {
  if (given.length > MAX_SENT_CHARACTERS) throw invalid(`policy: must have at most ${MAX_POLICY_BYTES} bytes`)
  if (/[^A-Za-z0-9+/=\s]/.test(given)) return given
  const packed = given.replaceAll(/\s+/g, '')
  try {
    const bytes = decodeBase64(packed, 'policy')
    return encodeBase64(bytes) === packed ? fromUtf8(bytes) : given
  } catch {
    return given
  }
}
