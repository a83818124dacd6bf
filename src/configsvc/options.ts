import { readOptions } from '../core/base/options.ts'
import type { AclOptions, ConfigNaming, ConfigSettings } from './settings.ts'

export interface ConfigOptions {
  /** Permissions. By default, tokens and policies decide, and everything that no rule allows is denied. */
  readonly acl?: AclOptions
  readonly naming?: Partial<ConfigNaming>
  /** The name of the datacenter that this service configures. Default: `dc1`. */
  readonly datacenter?: string
}

export type CheckedConfigOptions = Omit<ConfigSettings, 'salt' | 'keySets' | 'unauthenticatedAllowance'>

const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

const DATACENTER = /^[a-z0-9_-]{1,64}$/

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const OPTION_NAME = 'configsvc'

const KNOWN_OPTIONS = { acl: 1, naming: 1, datacenter: 1 }

const KNOWN_ACL_OPTIONS = { enabled: 1, defaultPolicy: 1, bootstrapToken: 1 }

/** @throws TypeError for invalid options, before anything is opened or written. */
export function checkConfigOptions(options: ConfigOptions = {}): CheckedConfigOptions {
  const { acl = {}, naming = {}, datacenter = 'dc1' } = readOptions(OPTION_NAME, options, KNOWN_OPTIONS)
  const { enabled = true, defaultPolicy = 'deny', bootstrapToken } = readOptions(OPTION_NAME, acl, KNOWN_ACL_OPTIONS, 'acl.')
  const { headerPrefix = 'X-Config' } = readOptions(OPTION_NAME, naming, { headerPrefix: 1 }, 'naming.')
  if (typeof enabled !== 'boolean') throw new TypeError('acl.enabled must be a boolean')
  if (defaultPolicy !== 'allow' && defaultPolicy !== 'deny') throw new TypeError('acl.defaultPolicy must be allow or deny')
  if (bootstrapToken !== undefined && !(typeof bootstrapToken === 'string' && UUID.test(bootstrapToken)))
    throw new TypeError('acl.bootstrapToken must be a UUID in lower case')
  if (typeof headerPrefix !== 'string' || !PREFIX.test(headerPrefix))
    throw new TypeError('naming.headerPrefix must consist of letters, digits, ".", "_" and "-", and begin with a letter or digit')
  if (typeof datacenter !== 'string' || !DATACENTER.test(datacenter))
    throw new TypeError('datacenter must be 1 to 64 lower-case letters, digits, "-" and "_"')
  return { enabled, defaultPolicy, bootstrapToken, headerPrefix, datacenter }
}
