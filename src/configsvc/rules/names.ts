/** Validates names of ACL objects. */

import { foldName } from '../../core/base/fold-name.ts'

const WORD = /^[A-Za-z0-9\-_]+$/

const POLICY = /^[A-Za-z0-9\-_]+(?:\/[A-Za-z0-9\-_]*)?$/

const IDENTITY = /^[a-z0-9](?:[a-z0-9\-_]*[a-z0-9])?$/

/** The prefix of the names of built-in policies, regardless of case. Other policies must not use it. */
export const BUILT_IN_PREFIX = 'builtin/'

const MAX_ROLE_NAME_CHARACTERS = 256

const MAX_POLICY_NAME_CHARACTERS = 128

const MAX_AUTH_METHOD_NAME_CHARACTERS = 128

/** The maximum length of the name of a service or node in an identity. */
export const MAX_IDENTITY_NAME_CHARACTERS = 256

// Check the length first, because matching takes time in proportion to it.
const fits = (name: string, longest: number, pattern: RegExp): boolean => name.length <= longest && pattern.test(name)

export const isRoleName = (name: string): boolean => fits(name, MAX_ROLE_NAME_CHARACTERS, WORD)

/** Validates the name of a policy that is not built in. It may contain one slash, but not as the first character. */
export const isPolicyName = (name: string): boolean =>
  fits(name, MAX_POLICY_NAME_CHARACTERS, POLICY) && !foldName(name).startsWith(BUILT_IN_PREFIX)

export const isAuthMethodName = (name: string): boolean => fits(name, MAX_AUTH_METHOD_NAME_CHARACTERS, WORD)

/** Validates the name of a service or node in an identity. */
export const isIdentityName = (name: string): boolean => fits(name, MAX_IDENTITY_NAME_CHARACTERS, IDENTITY)
