/**
 * The names of ACL objects.
 */

import { foldName } from '../../core/base/fold-name.ts'

const WORD = /^[A-Za-z0-9\-_]+$/

const POLICY = /^[A-Za-z0-9\-_]+(?:\/[A-Za-z0-9\-_]*)?$/

const IDENTITY = /^[a-z0-9](?:[a-z0-9\-_]*[a-z0-9])?$/

/** Names of policies that are built in begin so in any case, and no others. */
export const BUILT_IN_PREFIX = 'builtin/'

const MAX_ROLE_NAME_CHARACTERS = 256

const MAX_POLICY_NAME_CHARACTERS = 128

const MAX_AUTH_METHOD_NAME_CHARACTERS = 128

/** Of the services and nodes in identities. */
export const MAX_IDENTITY_NAME_CHARACTERS = 256

// The length comes first: matching takes time by it.
const fits = (name: string, longest: number, pattern: RegExp): boolean => name.length <= longest && pattern.test(name)

export const isRoleName = (name: string): boolean => fits(name, MAX_ROLE_NAME_CHARACTERS, WORD)

/** Of a policy that is not built in. One slash may stand in it, but not in front. */
export const isPolicyName = (name: string): boolean =>
  fits(name, MAX_POLICY_NAME_CHARACTERS, POLICY) && !foldName(name).startsWith(BUILT_IN_PREFIX)

export const isAuthMethodName = (name: string): boolean => fits(name, MAX_AUTH_METHOD_NAME_CHARACTERS, WORD)

/** Of a service or a node in an identity. */
export const isIdentityName = (name: string): boolean => fits(name, MAX_IDENTITY_NAME_CHARACTERS, IDENTITY)
