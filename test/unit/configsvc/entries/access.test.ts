/**
 * The permissions for reading and writing entries, and the references of entries.
 */
import { describe, expect, it } from 'vitest'
import { type EntryReference, kindNamed } from '../../../../src/configsvc/entries/index.ts'
import { accepted } from './outcome.ts'

const routes = (...services: string[]) => ({ Routes: services.map((Service) => ({ Destination: { Service } })) })

const resolver = {
  Kind: 'service-resolver',
  Name: 'web',
  Subsets: { v1: {}, v2: {} },
  Failover: {
    '*': { Service: 'b' },
    v1: { Datacenters: ['dc2'] },
    v2: { Targets: [{ Service: 'c' }, { Service: 'd', Peer: 'east' }, { Datacenter: 'dc2' }] },
  },
}

const intentions = {
  Kind: 'service-intentions',
  Name: 'web',
  JWT: { Providers: [{ Name: 'one' }] },
  Sources: [{ Name: 'a', Permissions: [{ Action: 'allow', HTTP: { PathPrefix: '/' }, JWT: { Providers: [{ Name: 'two' }] } }] }],
}

const service = (name: string): EntryReference => ({ to: 'service', name })

const gateway = (name: string): EntryReference => ({ to: 'api-gateway', name })

const certificate = (name: string): EntryReference => ({ to: 'inline-certificate', name })

const provider = (name: string): EntryReference => ({ to: 'jwt-provider', name })

describe('the definition of an entry kind', () => {
  it.each([
    { kind: 'service-defaults', read: ['service:read web'], write: ['service:write web'] },
    { kind: 'service-router', read: ['service:read web'], write: ['service:write web', 'service:read web'] },
    { kind: 'service-splitter', read: ['service:read web'], write: ['service:write web'] },
    { kind: 'service-resolver', read: ['service:read web'], write: ['service:write web'] },
    { kind: 'service-intentions', read: ['intention:read web'], write: ['intention:write web'] },
    { kind: 'proxy-defaults', read: [], write: ['mesh:write'] },
    { kind: 'mesh', read: [], write: ['mesh:write'] },
    { kind: 'ingress-gateway', read: ['service:read web'], write: ['mesh:write'] },
    { kind: 'terminating-gateway', read: ['service:read web'], write: ['mesh:write'] },
    { kind: 'api-gateway', read: ['service:read web'], write: ['mesh:write'] },
    { kind: 'bound-api-gateway', read: ['service:read web'], write: [] },
    { kind: 'exported-services', read: ['mesh:read'], write: ['mesh:write'] },
    { kind: 'http-route', read: ['mesh:read'], write: ['mesh:write'] },
    { kind: 'tcp-route', read: ['mesh:read'], write: ['mesh:write'] },
    { kind: 'inline-certificate', read: ['mesh:read'], write: ['mesh:write'] },
    { kind: 'file-system-certificate', read: ['mesh:read'], write: ['mesh:write'] },
    { kind: 'jwt-provider', read: ['mesh:read', 'service:write any'], write: ['mesh:write'] },
  ])('requires the listed permissions to read and write an entry of kind $kind', ({ kind, read, write }) => {
    const { name, readers, writers } = kindNamed(kind)
    const texts = (all: Iterable<ReturnType<typeof readers>[number]> = []) =>
      [...all].map(({ permission, segment, any }) => [permission, segment, any && 'any'].filter(Boolean).join(' '))
    expect(texts(readers('web'))).toEqual(read)
    expect(texts(writers({ Kind: name, Name: 'web' }))).toEqual(write)
  })

  it.each([
    { what: 'a router', sent: { Kind: 'service-router', Name: 'web', ...routes('a', '', 'b', 'a') }, reads: ['web', 'a', 'b'] },
    {
      what: 'a splitter',
      sent: { Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: 50 }, { Weight: 50, Service: 'a' }] },
      reads: ['a'],
    },
    { what: 'a redirect', sent: { Kind: 'service-resolver', Name: 'web', Redirect: { Service: 'a' } }, reads: ['a'] },
    { what: 'failover', sent: resolver, reads: ['b', 'web', 'c'] },
  ])('also requires service:read for every service that $what names', ({ sent, reads }) => {
    const entry = accepted(sent)
    const required = [...(kindNamed(entry.Kind).writers(entry) ?? [])]
    expect(required.slice(1).map(({ segment }) => segment)).toEqual(reads)
    expect(required.slice(1).every(({ permission }) => permission === 'service:read')).toBe(true)
  })

  it.each([
    {
      sent: { Kind: 'service-router', Name: 'web', ...routes('a', '', 'b', 'a') },
      names: [service('a'), service('b'), service('a')],
    },
    { sent: resolver, names: [service('b'), service('c')] },
    { sent: intentions, names: [provider('one'), provider('two')] },
    { sent: { Kind: 'service-defaults', Name: 'web' }, names: [] },
    {
      sent: {
        Kind: 'ingress-gateway',
        Name: 'front',
        Listeners: [{ Protocol: 'http', Services: [{ Name: 'a' }, { Name: '*' }] }],
      },
      names: [service('a'), service('*')],
    },
    {
      sent: { Kind: 'exported-services', Name: 'default', Services: [{ Name: '*', Consumers: [{ Peer: 'east' }] }] },
      names: [service('*')],
    },
    {
      sent: {
        Kind: 'http-route',
        Name: 'route',
        Parents: [{ Name: 'gate' }],
        Rules: [{ Services: [{ Name: 'a' }] }, { Services: [{ Name: 'b' }] }],
      },
      names: [gateway('gate'), service('a'), service('b')],
    },
    {
      sent: { Kind: 'tcp-route', Name: 'route', Parents: [{ Name: 'gate' }], Services: [{ Name: 'a' }] },
      names: [gateway('gate'), service('a')],
    },
    {
      sent: {
        Kind: 'api-gateway',
        Name: 'gate',
        Listeners: [{ Name: 'a', Port: 1, Protocol: 'http', TLS: { Certificates: [{ Name: 'c' }] } }],
      },
      names: [certificate('c')],
    },
  ])('lists every service or entry to which an entry of kind $sent.Kind refers', ({ sent, names }) => {
    const entry = accepted(sent)
    expect([...kindNamed(entry.Kind).refersTo(entry)]).toEqual(names)
  })
})
