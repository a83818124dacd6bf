/**
 * The options of a configuration service, wherever it stands.
 */
import type { AclOptions, ConfigNaming, Settings } from './settings.ts'

export interface ConfigOptions {
  /** Who may do what. Default: tokens and rules decide, and where no rule speaks nothing is allowed. */
  readonly acl?: AclOptions
  readonly naming?: Partial<ConfigNaming>
  /** The name of the datacenter that this service is about; default `dc1`. */
  readonly datacenter?: string
}

export type CheckedOptions = Omit<Settings, 'salt' | 'strangers'>

const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

const DATACENTER = /^[a-z0-9_-]{1,64}$/

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const KNOWN = { configsvc: ['acl', 'naming', 'datacenter'], acl: ['enabled', 'default_policy', 'bootstrap_token'] }

/** @throws TypeError for invalid options, before anything is touched. */
export function checkConfigOptions(options: ConfigOptions = {}): CheckedOptions {
  onlyKnown('configsvc', options, KNOWN.configsvc)
  const { acl = {}, naming = {}, datacenter = 'dc1' } = options
  onlyKnown('acl', acl, KNOWN.acl)
  onlyKnown('naming', naming, ['header_prefix'])
  const { enabled = true, default_policy = 'deny', bootstrap_token } = acl
  const { header_prefix = 'X-Config' } = naming
  if (typeof enabled !== 'boolean') throw new TypeError('acl.enabled must be a boolean')
  if (default_policy !== 'allow' && default_policy !== 'deny') throw new TypeError('acl.default_policy must be allow or deny')
  if (bootstrap_token !== undefined && !(typeof bootstrap_token === 'string' && UUID.test(bootstrap_token)))
    throw new TypeError('acl.bootstrap_token must be a UUID in lower case')
  if (typeof header_prefix !== 'string' || !PREFIX.test(header_prefix))
    throw new TypeError('naming.header_prefix takes letters, digits, ".", "_" and "-"')
  if (typeof datacenter !== 'string' || !DATACENTER.test(datacenter))
    throw new TypeError('datacenter must be 1 to 64 lower-case letters, digits, "-" and "_"')
  return { enabled, defaultPolicy: default_policy, bootstrapToken: bootstrap_token, headerPrefix: header_prefix, datacenter }
}

function onlyKnown(what: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${what} must be an object`)
  for (const name of Object.keys(options)) if (!known.includes(name)) throw new TypeError(`${what}: unknown option ${name}`)
}
