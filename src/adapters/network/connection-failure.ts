/** Describes connection failures, by Node's error code. */
const NAMES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  EAI_AGAIN: 'name resolution failed',
  ENETUNREACH: 'network unreachable',
  ENOENT: 'no such socket',
  ENOTFOUND: 'host not found',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'connection timed out',
}

/** The errors of TLS: a certificate, a protocol version, or a server without TLS. */
export const TLS_ERRORS = /^(ERR_SSL|ERR_TLS|UNABLE_TO|CERT_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_OSSL|EPROTO|INVALID_CA)/

/**
 * Describes a failed connection by its code, such as `connection refused (ECONNREFUSED)`. Returns undefined if the code does not
 * indicate a connection failure. Never returns the text of the error, because it contains addresses.
 */
export function connectionFailure(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code
  if (typeof code !== 'string') return undefined
  const name = Object.hasOwn(NAMES, code) ? NAMES[code] : TLS_ERRORS.test(code) ? 'no secure connection' : undefined
  return name && `${name} (${code})`
}
