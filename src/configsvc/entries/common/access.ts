/** Permissions for entries that do not belong to one service. */
import type { RequiredAccess } from '../kind.ts'

const writers = (): readonly RequiredAccess[] => [{ permission: 'mesh:write' }]

export const MESH_ACCESS = { readers: (): readonly RequiredAccess[] => [{ permission: 'mesh:read' }], writers }

/** Gateways are services that many other services are reached through. */
export const gatewayReaders = (name: string): readonly RequiredAccess[] => [{ permission: 'service:read', segment: name }]

export const GATEWAY_ACCESS = { readers: gatewayReaders, writers }
