/**
 * Who may read and write entries that do not belong to one service.
 */
import type { Access } from '../kind.ts'

const writers = (): readonly Access[] => [{ permission: 'mesh:write' }]

export const MESH_ACCESS = { readers: (): readonly Access[] => [{ permission: 'mesh:read' }], writers }

/** Gateways are services that many others are behind. */
export const gatewayReaders = (name: string): readonly Access[] => [{ permission: 'service:read', segment: name }]

export const GATEWAY_ACCESS = { readers: gatewayReaders, writers }
