/** Explains connection failures to operators. */

import type { ApiServer } from './api-server.ts'
import { TokenReviewError } from './review-error.ts'

const UNTRUSTED = 'its certificate does not come from what is trusted'

/** Codes of Node and OpenSSL. Other codes are shown as they are. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'nobody answers what its name stands for',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed before the whole answer had come',
  EPIPE: 'the connection was closed before the whole answer had come',
  EHOSTUNREACH: 'no way leads there',
  ENETUNREACH: 'no way leads there',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate does not name it',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
}

export function explainConnectionFailure(error: Error & { readonly code?: unknown }, { shown }: ApiServer): TokenReviewError {
  const code = typeof error.code === 'string' ? error.code : error.name
  // The parser's error carries the bytes it failed at, so it is not kept as a cause.
  if (code.startsWith('HPE_')) return new TokenReviewError('protocol', `what answers at ${shown} does not speak HTTP (${code})`)
  const told = Object.hasOwn(EXPLANATIONS, code)
    ? EXPLANATIONS[code]
    : isTlsError(code)
      ? 'no TLS connection came about, of TLS 1.2 or later'
      : undefined
  const why = told === undefined ? code : `${told} (${code})`
  return new TokenReviewError(code === 'ETIMEDOUT' ? 'timeout' : 'transport', `no good connection to ${shown}: ${why}`, error)
}

const isTlsError = (code: string): boolean => code === 'EPROTO' || code.startsWith('ERR_SSL_')
