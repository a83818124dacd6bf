/** TLS settings of the sinks for servers. */
import { type ConnectionOptions, createSecureContext } from 'node:tls'
import { readOptions } from '../../core/base/options.ts'
import { checkSubjectNames } from '../network/check-subject-names.ts'

/**
 * The TLS settings of an audit sink, as in `tls.connect` of Node: the trusted authorities (default: those that Node trusts), the
 * certificate and the key of this client, and the name that the server's certificate must have (default: the host).
 */
export type AuditTls = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'pfx' | 'servername'>

/** Settings for `tls.connect` and `https.Agent`. */
export type ClientTls = Pick<
  ConnectionOptions,
  'secureContext' | 'servername' | 'rejectUnauthorized' | 'checkServerIdentity' | 'minVersion'
>

const NAMES = { ca: 1, cert: 1, key: 1, passphrase: 1, pfx: 1, servername: 1 } as const

/**
 * Requires TLS 1.2 and a valid certificate. These are set explicitly, so that settings of the process (NODE_TLS_REJECT_UNAUTHORIZED,
 * --tls-min-v1.0) cannot weaken TLS.
 * @param what The public function that takes the options, for messages.
 * @throws TypeError if a certificate or key cannot be read. The message contains neither.
 */
export function readClientTls(what: string, given: AuditTls | undefined): ClientTls {
  const { servername, ...material } = readOptions(what, given, NAMES, 'tls.')
  if (servername !== undefined && typeof servername !== 'string') throw new TypeError(`${what}: tls.servername must be a string`)
  const checks = { minVersion: 'TLSv1.2', rejectUnauthorized: true, checkServerIdentity: checkSubjectNames } as const
  try {
    const secureContext = createSecureContext({ ...material, minVersion: checks.minVersion, allowPartialTrustChain: true })
    return { ...checks, secureContext, ...(servername !== undefined && { servername }) }
  } catch {
    throw new TypeError(`${what}: tls has a certificate or key that cannot be read`)
  }
}
