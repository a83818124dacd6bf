import type { Engine } from '../../core/contract/engine.ts'
import { createOrphan, createToken, createWithRole } from './create-token.ts'
import { listAccessors } from './list-accessors.ts'
import { lookupAccessor, lookupByGet, lookupSelf, lookupSelfByPost, lookupToken } from './lookup.ts'
import { TOKEN_MANIFEST } from './manifest.ts'
import { renewAccessor, renewSelf, renewToken } from './renew.ts'
import { revokeAccessor, revokeOrphan, revokeSelf, revokeToken } from './revoke.ts'
import { deleteRole, listRoles, readRole } from './roles.ts'
import { tidyTokens } from './tidy.ts'
import { writeRole } from './write-role.ts'

export const tokenOperations = {
  createToken,
  createOrphan,
  createWithRole,
  lookupToken,
  lookupSelf,
  lookupAccessor,
  renewToken,
  renewSelf,
  renewAccessor,
  revokeToken,
  revokeSelf,
  revokeAccessor,
  revokeOrphan,
  listAccessors,
  tidyTokens,
  readRole,
  writeRole,
  deleteRole,
  listRoles,
}

/** Lookup operations with other HTTP verbs, which some clients use. */
const otherVerbs = { lookupByGet, lookupSelfByPost }

export const token = {
  ...TOKEN_MANIFEST,
  facades: {},
  operations: { ...tokenOperations, ...otherVerbs },
  due: {},
} satisfies Engine
