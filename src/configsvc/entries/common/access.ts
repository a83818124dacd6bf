/** Permissions for entries that do not belong to one service. */
import type { RequiredAccess } from '../kind.ts'

const writers = (): readonly RequiredAccess[] => [{ permission: 'mesh:write' }]

export const MESH_ACCESS = { readers: (): readonly RequiredAccess[] => [{ permission: 'mesh:read' }], writers }

/**
 * Reading a gateway needs only the permission for its name. Changing it needs the permission for the mesh, because a gateway gives access
 * to many other services.
 */
export const gatewayReaders = (name: string): readonly RequiredAccess[] => [{ permission: 'service:read', segment: name }]

export const GATEWAY_ACCESS = { readers: gatewayReaders, writers }
