import type { ConfigView } from './service.ts'

type GroupName = Exclude<keyof ConfigView, 'login' | 'logout'>

/** The names of the typed methods, by group. They are known before the code of the service is loaded. */
export const METHOD_NAMES = {
  acl: ['bootstrap', 'authorizeMany', 'authorize', 'explain'],
  policies: ['create', 'read', 'readByName', 'update', 'delete', 'list', 'watch'],
  tokens: ['create', 'readSelf', 'read', 'update', 'clone', 'delete', 'list', 'watch'],
  roles: ['create', 'read', 'readByName', 'update', 'delete', 'list', 'watch'],
  templatedPolicies: ['list', 'readByName', 'preview'],
  authMethods: ['create', 'read', 'update', 'delete', 'list', 'watch'],
  bindingRules: ['create', 'read', 'update', 'delete', 'list', 'evaluate', 'watch'],
  entries: ['apply', 'get', 'list', 'delete', 'watch'],
} as const satisfies { readonly [G in GroupName]: readonly (keyof ConfigView[G])[] }
