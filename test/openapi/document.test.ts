/** The OpenAPI document of a kernel: it is valid and complete, and shows only what a token may reach. */
import { validate } from '@readme/openapi-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { type Document, documentOf, ENGINES_BY_MOUNT } from './document.ts'

let kernel: Kernel
let document: Document

beforeAll(async () => {
  kernel = await createDevKernel()
  await kernel.mounts.createMount({ path: 'apps/', type: 'kv', options: { version: '2' } })
  await kernel.mounts.createMount({ path: 'apps-more/', type: 'kv', options: { version: '2' } })
  document = await documentOf(kernel, kernel.rootToken)
})
afterAll(() => kernel.close())

const METHODS = ['get', 'post', 'patch', 'delete', 'head'] as const

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ path, method, item, operation: item[method] }] : [])),
  )

describe('the OpenAPI document of a kernel', () => {
  it('is valid OpenAPI 3', async () => {
    expect(document.openapi).toBe('3.0.2')
    expect(await validate(structuredClone(document) as never)).toMatchObject({ valid: true, warnings: [] })
  })

  it('contains every operation of every mount', () => {
    for (const [mount, operations] of Object.entries(ENGINES_BY_MOUNT)) {
      for (const { verb, path } of Object.values(operations)) {
        const [first = ''] = path.split('(')
        const shown = `/${mount}${first.slice(1).replaceAll(/[:*+](\w+)/g, '{$1}')}`
        const item = document.paths[shown]
        const found = item?.[verb === 'LIST' ? 'get' : (verb.toLowerCase() as 'get')]
        expect(found, `${verb} ${shown}`).toBeDefined()
        const lists = found?.parameters?.some(({ name }) => name === 'list') ?? false
        if (verb === 'LIST') expect(lists, shown).toBe(true)
      }
    }
  })

  it('gives each operation a distinct operationId, and lists every parameter of each path', () => {
    const ids = operationsOf(document).map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, item } of operationsOf(document)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(item.parameters?.map(({ name }) => name) ?? [], path).toEqual(inPath)
    }
  })

  it('contains no two paths that match the same request', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))
    expect(new Set(shapes).size).toBe(shapes.length)
  })

  it('contains each optional segment of a path as a path of its own, and `list` as a parameter', () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/transit/random', '/transit/random/{source}', '/transit/random/{source}/{count}', '/secret/']),
    )
    const flag = (path: string) => document.paths[path]?.get?.parameters?.find(({ name }) => name === 'list')?.required
    expect([flag('/transit/keys'), flag('/secret/{path}'), flag('/secret/')]).toEqual([true, false, true])
  })

  it('contains the required permission, the parameters and the responses of an operation', () => {
    expect(document.paths['/sys/health']).toMatchObject({ 'x-service-unauthenticated': true, get: { security: [] } })
    expect(document.paths['/auth/token/accessors']).toMatchObject({ 'x-service-sudo': true })
    expect(document.paths['/secret/{path}']).toMatchObject({
      'x-service-createSupported': true,
      delete: { responses: { 204: {} } },
    })
    expect(document.paths['/transit/keys/{name}']?.post?.tags).toEqual(['secrets'])
    expect(document.paths['/sys/mounts']?.get?.tags).toEqual(['system'])
    const encrypt = document.components.schemas['TransitEncryptRequest']?.properties
    expect(encrypt).toMatchObject({ plaintext: { type: 'string', format: 'byte' }, batch_input: { type: 'array' } })
    expect(encrypt).not.toHaveProperty('name')
    expect(document.paths['/apps/data/{path}']?.patch?.requestBody?.content).toHaveProperty(['application/merge-patch+json'])
  })

  it('uses the header prefix that the kernel is configured with', async () => {
    await using otherKernel = await createDevKernel({ naming: { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' } })
    const { paths, components } = await documentOf(otherKernel, otherKernel.rootToken, 'X-Vault')
    expect(paths['/sys/health']).toHaveProperty('x-vault-unauthenticated')
    expect(components.securitySchemes).toMatchObject({ token: { name: 'X-Vault-Token' } })
  })

  it('contains only the paths that the token may use, and none without a token', async () => {
    expect(Object.keys((await documentOf(kernel, undefined)).paths)).toEqual([])
    await kernel.policies.writePolicy({ name: 'apps', policy: 'path "apps/data/a" { capabilities = ["read"] }' })
    const { client_token } = await kernel.tokens.createToken({ policies: ['apps'], no_default_policy: true })
    const paths = Object.keys((await documentOf(kernel, client_token)).paths)
    expect(paths.length).toBeGreaterThan(0)
    expect(paths.filter((path) => !path.startsWith('/apps/'))).toEqual([])
    await expect(documentOf(kernel, 's.000000000000000000000000')).rejects.toThrow('403')
  })

  it("contains only the mounts of the caller's namespace", async () => {
    await kernel.namespaces.createNamespace({ name: 'team' })
    await kernel.namespace('team/').mounts.createMount({ path: 'own/', type: 'kv' })
    const paths = Object.keys((await documentOf(kernel, kernel.rootToken, 'X-Service', 'team')).paths)
    expect(paths).toContain('/own/{path}')
    expect(paths.filter((path) => path.startsWith('/secret/'))).toEqual([])
  })
})
