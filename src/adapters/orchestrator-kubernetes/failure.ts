import type { ApiServer } from './api-server.ts'
import { TokenReviewError } from './review-error.ts'

const UNTRUSTED = 'the server certificate is not issued by a trusted CA'

/** Explanations of error codes of Node and OpenSSL. Other codes are put into the message without an explanation. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the name server does not answer',
  ECONNREFUSED: 'no server listens on this port',
  ECONNRESET: 'the connection was closed before the answer was complete',
  EPIPE: 'the connection was closed before the answer was complete',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  CERT_HAS_EXPIRED: 'the server certificate has expired',
  CERT_NOT_YET_VALID: 'the server certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the server certificate does not contain the host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
}

export function explainConnectionFailure(error: Error & { readonly code?: unknown }, { shown }: ApiServer): TokenReviewError {
  const code = typeof error.code === 'string' ? error.code : error.name
  // The parser's error contains received bytes, so it must not become the cause.
  if (code.startsWith('HPE_')) return new TokenReviewError('protocol', `the server at ${shown} does not speak HTTP (${code})`)
  const told = Object.hasOwn(EXPLANATIONS, code)
    ? EXPLANATIONS[code]
    : isTlsError(code)
      ? 'a connection with TLS 1.2 or later could not be established'
      : undefined
  const why = told === undefined ? code : `${told} (${code})`
  return new TokenReviewError(code === 'ETIMEDOUT' ? 'timeout' : 'transport', `the connection to ${shown} failed: ${why}`, error)
}

const isTlsError = (code: string): boolean => code === 'EPROTO' || code.startsWith('ERR_SSL_')
