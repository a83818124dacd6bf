/**
 * The cloud engine. Roles issue credentials that become invalid when their leases end. Static roles rotate the access key of an existing
 * user.
 */
import type { Engine } from '../../core/contract/engine.ts'
import { configureLease, readLease } from './config/lease.ts'
import { configureRoot, readRoot } from './config/root.ts'
import { ROTATE_CLOUD_ROOT } from './config/root-key.ts'
import { rotateRoot } from './config/rotate-root.ts'
import { creds, credsByPost, sts, stsByPost } from './creds/creds.ts'
import { CLOUD_LEASES } from './creds/leases.ts'
import { MAKE_CLOUD_USER } from './creds/make-user.ts'
import { deleteRole, listRoles, readRole } from './role/roles-by-name.ts'
import { writeRole } from './role/write-role.ts'
import { CHANGE_STATIC_KEY } from './static/change-static-key.ts'
import { CLOUD_DUE_ROTATION } from './static/due.ts'
import { deleteStaticRole, readStaticRole, staticCreds } from './static/static-roles-by-name.ts'
import { writeStaticRole } from './static/write-static-role.ts'

export const cloud = {
  type: 'cloud',
  aliases: ['aws'],
  mounts: 'secret',
  operations: {
    configureRoot,
    readRoot,
    rotateRoot,
    configureLease,
    readLease,
    writeRole,
    readRole,
    listRoles,
    deleteRole,
    creds,
    sts,
    writeStaticRole,
    readStaticRole,
    deleteStaticRole,
    staticCreds,
  },
  effects: [MAKE_CLOUD_USER, ROTATE_CLOUD_ROOT, CHANGE_STATIC_KEY],
  due: { credential: CLOUD_DUE_ROTATION },
  leases: CLOUD_LEASES,
} satisfies Engine

/** `creds` and `sts` by POST instead of GET. The typed facade does not need them. */
export const otherVerbs = { credsByPost, stsByPost }
