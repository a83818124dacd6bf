/** A permission consists of a kind of resource and an access, written as `acl:write`. */
import { invalid } from '../../core/base/errors.ts'
import { RESOURCE_NAMES, RESOURCES, type ResourceAccess, type ResourceName, resourceOf } from './resource.ts'

export interface Permission {
  readonly resource: ResourceName
  readonly access: ResourceAccess
}

/** All permissions. */
export type PermissionText = {
  [R in ResourceName]: `${R}:${(typeof RESOURCES)[R]['accesses'][number]}`
}[ResourceName]

export const permissionText = ({ resource, access }: Permission): string => `${resource}:${access}`

/**
 * @param access The access, regardless of case.
 * @throws KernelError (400) for an unknown resource, or for an access that the resource does not have.
 */
export function readPermission(resource: string, access: string): Permission {
  if (!Object.hasOwn(RESOURCES, resource)) throw invalid(`Resource must be one of ${RESOURCE_NAMES.join(', ')}`)
  const name = resource as ResourceName
  const wanted = access.toLowerCase()
  const { accesses } = resourceOf(name)
  if (!accesses.includes(wanted as ResourceAccess)) throw invalid(`Access to ${name} must be one of ${accesses.join(', ')}`)
  return { resource: name, access: wanted as ResourceAccess }
}

/** @throws KernelError (400) for an invalid permission. */
export function readPermissionText(text: string): Permission {
  const colon = text.indexOf(':')
  if (colon < 0) throw invalid('permission: must have the form <resource>:<access>, such as "acl:write"')
  return readPermission(text.slice(0, colon), text.slice(colon + 1))
}
