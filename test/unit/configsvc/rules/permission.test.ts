import { describe, expect, it } from 'vitest'
import { permissionText, readPermission, readPermissionText } from '../../../../src/configsvc/rules/index.ts'

describe('a permission', () => {
  it('consists of a resource and an access, whose letter case is ignored', () => {
    expect(readPermission('key', 'Write-Prefix')).toEqual({ resource: 'key', access: 'write-prefix' })
    expect(permissionText(readPermissionText('acl:write'))).toBe('acl:write')
  })

  it.each([
    ['widget', 'read', /Resource must be one of acl, agent/],
    ['ACL', 'read', /Resource must be one of/],
    ['constructor', 'read', /Resource must be one of/],
    ['', '', /Resource must be one of/],
    ['node', 'list', /Access to node must be one of read, write/],
    ['key', 'own', /Access to key must be one of read, list, write, write-prefix/],
    ['key', 'deny', /Access to key/],
    ['key', '__proto__', /Access to key/],
  ])('is refused: %s:%s', (resource, access, message) => {
    expect(() => readPermission(resource, access)).toThrow(expect.objectContaining({ status: 400 }))
    expect(() => readPermissionText(`${resource}:${access}`)).toThrow(message)
  })

  it('is refused without a colon', () => {
    expect(() => readPermissionText('acl')).toThrow(expect.objectContaining({ status: 400 }))
  })
})
