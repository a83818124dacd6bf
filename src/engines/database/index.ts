/**
 * The database engine. Dynamic roles create a database user for each lease and drop it when the lease ends. Static roles rotate the password of
 * an existing user.
 */
import type { Engine } from '../../core/contract/engine.ts'
import { deleteConnection, listConnections, readConnection, resetConnection } from './connection/connections-by-name.ts'
import { ROTATE_DATABASE_ROOT, rotateRoot } from './connection/rotate-root.ts'
import { writeConnection } from './connection/write-connection.ts'
import { DATABASE_LEASES } from './leases.ts'
import { DATABASE_PLUGIN_KIND } from './reload.ts'
import { creds } from './role/creds.ts'
import { MAKE_DATABASE_USER } from './role/make-user.ts'
import { deleteRole, listRoles, readRole } from './role/roles-by-name.ts'
import { writeRole } from './role/write-role.ts'
import { DATABASE_DUE_ROTATION } from './static/due.ts'
import { ROTATE_STATIC_ROLE } from './static/rotate.ts'
import { deleteStaticRole, listStaticRoles, readStaticRole, rotateRole, staticCreds } from './static/static-roles-by-name.ts'
import { writeStaticRole } from './static/write-static-role.ts'

export const database = {
  type: 'database',
  mounts: 'secret',
  operations: {
    writeConnection,
    readConnection,
    listConnections,
    deleteConnection,
    resetConnection,
    rotateRoot,
    writeRole,
    readRole,
    listRoles,
    deleteRole,
    creds,
    writeStaticRole,
    readStaticRole,
    listStaticRoles,
    deleteStaticRole,
    staticCreds,
    rotateRole,
  },
  effects: [MAKE_DATABASE_USER, ROTATE_STATIC_ROLE, ROTATE_DATABASE_ROOT],
  due: { credential: DATABASE_DUE_ROTATION },
  leases: DATABASE_LEASES,
  plugins: DATABASE_PLUGIN_KIND,
} satisfies Engine
