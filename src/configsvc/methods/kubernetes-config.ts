/** The `Config` of auth methods of type kubernetes. */
import { invalid } from '../../core/base/errors.ts'
import { checkAuthorities, MAX_HOST_CHARACTERS, MAX_REVIEWER_TOKEN_CHARACTERS } from '../../core/jwt/review-config.ts'
import { compactJws } from './compact-jws.ts'
import { type ReadMember, readMembers, textReader } from './config-members.ts'

/** The members with canonical names, as the request contains them. */
export interface KubernetesConfig {
  /** The host, host:port or URL of the API server. */
  readonly Host: string
  /** The certificates that authenticate the API server, in PEM. */
  readonly CACert: string
  /** The token that authorizes token reviews. It is a secret. Only responses that show the auth method contain it. */
  readonly ServiceAccountJWT: string
}

/** The maximum number of characters of the CA certificates; enough for more than twenty. */
const MAX_CERTIFICATES_CHARACTERS = 131_072

const READERS = {
  Host: textReader(MAX_HOST_CHARACTERS),
  CACert: textReader(MAX_CERTIFICATES_CHARACTERS),
  ServiceAccountJWT: textReader(MAX_REVIEWER_TOKEN_CHARACTERS),
} satisfies Readonly<Record<keyof KubernetesConfig, ReadMember<string>>>

const whyNot = (): string => `unknown; a kubernetes method has ${Object.keys(READERS).join(', ')}`

/** @throws KernelError 400 */
export function readKubernetesConfig(config: unknown): KubernetesConfig {
  const { Host = '', CACert = '', ServiceAccountJWT = '' } = readMembers(config, READERS, whyNot)
  if (Host === '') throw invalid('Config.Host: is required')
  if (!isAddress(Host))
    throw invalid('Config.Host: must be host, host:port or an http or https URL without user, query and fragment')
  if (CACert === '') throw invalid('Config.CACert: is required')
  checkAuthorities(CACert, 'Config.CACert')
  if (compactJws(ServiceAccountJWT) === undefined) throw invalid('Config.ServiceAccountJWT: must be a JSON Web Token')
  return { Host, CACert, ServiceAccountJWT }
}

/** A host with an optional scheme, port and path. The pattern excludes characters that URL parsers drop or replace. */
const ADDRESS = /^(https?:\/\/)?([^\s\p{Cc}\\?#@/]+)(\/[^\s\p{Cc}\\?#]*)?$/iu
/** An IPv6 address without brackets. */
const BARE_IPV6 = /^[\da-f]*:[\da-f:.]*:[\da-f.]*$/i

function isAddress(text: string): boolean {
  const [, scheme = 'https://', authority = ':', path = ''] = ADDRESS.exec(text.trim()) ?? []
  const host = BARE_IPV6.test(authority) ? `[${authority}]` : authority
  return !authority.endsWith(':') && URL.canParse(`${scheme}${host}${path}`)
}
