import { describe, expect, it } from 'vitest'
import { validateChange } from '../../../../../src/configsvc/entries/graph/validate-change.ts'
import { runToEnd } from '../../../../../src/core/base/steps.ts'
import { type AnyEntry, EntrySet } from '../../../../fixtures/entry-set.ts'

const empty = new EntrySet()

const global = (protocol: string): AnyEntry => ({ Kind: 'proxy-defaults', Name: 'global', Config: { protocol } })
const speaks = (Name: string, Protocol: string): AnyEntry => ({ Kind: 'service-defaults', Name, Protocol })
const resolver = (Name: string, members: object): AnyEntry => ({ Kind: 'service-resolver', Name, ...members })
const splitTo = (Name: string, Service = Name): AnyEntry => ({
  Kind: 'service-splitter',
  Name,
  Splits: [{ Weight: 100, Service }],
})
const routeTo = (Name: string, Service: string): AnyEntry => ({
  Kind: 'service-router',
  Name,
  Routes: [{ Destination: { Service } }],
})
const listener = (Name: string, Protocol: string, ...services: string[]): AnyEntry => ({
  Kind: 'ingress-gateway',
  Name,
  Listeners: [{ Port: 80, Protocol, Services: services.map((service) => ({ Name: service })) }],
})
const permission = (Name: string): AnyEntry => ({
  Kind: 'service-intentions',
  Name,
  Sources: [{ Name: 'x', Permissions: [{ Action: 'allow', HTTP: { PathPrefix: '/' } }] }],
})
const exporting = (...names: string[]): AnyEntry => ({
  Kind: 'exported-services',
  Name: 'default',
  Services: names.map((Name) => ({ Name, Consumers: [{ Peer: 'east' }] })),
})
const provider = (Name: string): AnyEntry => ({ Kind: 'jwt-provider', Name })
const mesh = (AllowEnablingPermissiveMutualTLS: boolean): AnyEntry => ({
  Kind: 'mesh',
  Name: 'mesh',
  AllowEnablingPermissiveMutualTLS,
})

const refused = (change: () => EntrySet, text: RegExp) => {
  expect(change).toThrow(
    expect.objectContaining({ status: 400, code: expect.stringMatching(/^ERR_(INVALID_REQUEST|NOT_FOUND|IN_USE)$/) }),
  )
  expect(change).toThrow(text)
}

describe('the validation of a changed entry against the others', () => {
  it('refuses a splitter if the protocol of its service does not permit splitting', () => {
    refused(() => empty.put(splitTo('main')), /does not permit advanced routing/)
    refused(() => empty.put(speaks('main', 'tcp')).put(splitTo('main')), /does not permit advanced routing/)
    empty.put(global('tcp')).put(speaks('main', 'http')).put(splitTo('main'))
  })
  it('refuses a redirect to a subset that does not exist', () =>
    refused(() => empty.put(resolver('main', { Redirect: { Service: 'other', ServiceSubset: 'v1' } })), /"other".*"v1"/))
  it('refuses a redirect that closes a cycle', () => {
    const set = empty.put(resolver('other', { Redirect: { Service: 'main' } }))
    refused(() => set.put(resolver('main', { Redirect: { Service: 'other' } })), /circular redirect/)
  })
  it('refuses a splitter that closes a cycle', () => {
    const set = empty.put(global('http')).put(splitTo('other', 'main'))
    refused(() => set.put(splitTo('main', 'other')), /circular reference/)
  })
  it('refuses to delete the service-defaults that give a splitter its protocol', () => {
    const set = empty.put(speaks('main', 'http')).put(splitTo('main'))
    refused(() => set.delete('service-defaults', 'main'), /does not permit advanced routing/)
    refused(() => set.delete('service-defaults', 'MAIN'), /does not permit advanced routing/)
  })
})

describe('the validation of other entries affected by a change', () => {
  it('refuses to remove a subset that another entry names', () => {
    const set = empty
      .put(resolver('a', { Subsets: { v1: {} } }))
      .put(resolver('main', { Failover: { '*': { Service: 'A', ServiceSubset: 'v1' } } }))
    refused(() => set.delete('service-resolver', 'a'), /"A".*"v1"/)
    refused(() => set.put(resolver('a', { Subsets: { v2: {} } })), /"A".*"v1"/)
    set.delete('service-resolver', 'main').delete('service-resolver', 'a')
  })
  it('refuses a change of service b if it breaks the chain main -> a -> b', () => {
    const set = empty.put(speaks('main', 'http'), speaks('b', 'http')).put(routeTo('main', 'a'), splitTo('a', 'b'))
    refused(() => set.put(speaks('b', 'grpc')), /"main" has inconsistent protocols/)
  })
  it('refuses a change of service b if main is exported and its chain main -> a -> b would become invalid', () => {
    const set = empty
      .put(global('http'))
      .put(exporting('main'), splitTo('main', 'a'), resolver('a', { Redirect: { Service: 'b' } }))
    refused(
      () => set.put(resolver('b', { Redirect: { Datacenter: 'dc2' } })),
      /"main" is exported to peers.*"b" redirects to the datacenter "dc2"/,
    )
  })
  it('ignores a new router in the chains of other services that lead to its service', () => {
    const set = empty.put(global('http')).put(splitTo('main', 'a'))
    set.put(routeTo('a', 'main'))
  })
  it('refuses a change of the global default protocol if any entry requires the previous one', () => {
    const set = empty.put(global('http'))
    for (const entry of [splitTo('main'), routeTo('main', 'a'), permission('main'), listener('front', 'http', 'main')]) {
      refused(() => set.put(entry).put(global('tcp')), /protocol/)
      refused(() => set.put(entry).delete('proxy-defaults', 'global'), /protocol/)
    }
    refused(
      () =>
        set
          .put(resolver('main', { Redirect: { Service: 'a' } }))
          .put(speaks('main', 'http'))
          .put(global('tcp')),
      /inconsistent/,
    )
    refused(() => set.put(resolver('main', { Redirect: { Service: 'a' } }), exporting('main')).put(global('tcp')), /exported/)
  })
  it('reads no further entries if the change cannot affect any', () => {
    const set = empty.put(global('http')).put(splitTo('main', 'a'), listener('front', 'http', 'a'))
    for (const put of [
      { ...global('http'), Meta: { tier: '1' } },
      { Kind: 'service-defaults', Name: 'x', Protocol: '' },
    ])
      set.put(put)
    const next = set.put(speaks('a', 'http')).put({ ...speaks('a', 'http'), Meta: { tier: '1' } })
    expect(next.read.filter((key) => !/^(service-defaults.a|exported-services)/.test(key))).toEqual([])
  })
  it('reads the affected entries only, not hundreds of others', () => {
    const others = Array.from({ length: 300 }, (_, i) => [
      speaks(`s${i}`, 'http'),
      splitTo(`s${i}`),
      resolver(`s${i}`, { Subsets: { v1: {} } }),
    ])
    const set = new EntrySet([...others.flat(), splitTo('main', 'a'), speaks('a', 'http'), speaks('main', 'http')])
    const { read } = set.put(speaks('a', 'grpc'))
    expect(read.filter((key) => /\/s\d/.test(key))).toEqual([])
    expect(new Set(read)).toContain('service-splitter/main')
  })
})

describe('several changes together', () => {
  it('are validated against their combined result, whatever their order', () => {
    const both = [splitTo('main'), speaks('main', 'http')]
    empty.put(...both)
    empty.put(...both.reverse())
    refused(() => empty.put(splitTo('main'), speaks('main', 'tcp')), /does not permit/)
  })
  it('are accepted if each alone would be refused but the combined result is valid', () => {
    const set = empty
      .put(speaks('main', 'http'), speaks('a', 'http'))
      .put(splitTo('main', 'a'), listener('front', 'http', 'main'))
    const change = [speaks('a', 'grpc'), listener('front', 'grpc', 'main')]
    for (const entry of change) refused(() => set.put(entry), /protocol/)
    set.put(...change)
  })
  it('are refused if they contradict each other but no stored entry', () =>
    refused(
      () => empty.put(resolver('a', { Redirect: { Service: 'b' } }), resolver('b', { Redirect: { Service: 'a' } })),
      /circular/,
    ))
  it('may replace a gateway by a gateway of another kind with the same name', () => {
    const set = empty.put(listener('g', 'tcp', 'a'))
    const put = { Kind: 'terminating-gateway', Name: 'G' }
    refused(() => set.put(put), /"G".*ingress-gateway.*terminating-gateway/)
    const turned = set.apply({ delete: { kind: 'ingress-gateway', name: 'g' } }, { put })
    refused(() => turned.put(listener('g', 'tcp', 'a')), /"g".*terminating-gateway/)
  })
})

describe('an ingress gateway', () => {
  it('is refused if a listener and one of its services have different protocols', () => {
    const set = empty.put(speaks('a', 'http'))
    set.put(listener('front', 'http', 'a'))
    refused(() => set.put(listener('front', 'tcp', 'a')), /"front".*"a" has the protocol "http".*port 80.*"tcp"/)
    refused(() => set.put(listener('front', 'http', 'b')), /"b" has the protocol "tcp"/)
    set.put(listener('front', 'http', '*'))
  })
  it('with a tcp listener is refused if its service has a router or splitter', () => {
    const set = empty.put(listener('front', 'tcp', 'a')).put(speaks('a', 'http'))
    refused(() => set.put(splitTo('a')), /"front".*protocol/)
    refused(() => set.put(routeTo('a', 'b')), /protocol/)
    refused(() => set.put(listener('front', 'tcp', 'a')), /"front".*protocol/)
    set.delete('ingress-gateway', 'front').put(splitTo('a'))
  })
  it('is validated again after a change of any service in the chain of one of its services', () => {
    const set = empty
      .put(speaks('b', 'http'))
      .put(splitTo('a', 'b'))
      .put(listener('front', 'http', 'a'))
    refused(() => set.put(speaks('b', 'grpc')), /"front".*"a" has the protocol "grpc"/)
  })
})

describe('service-intentions', () => {
  it('may have Permissions for the protocol grpc, but not for tcp', () => {
    refused(() => empty.put(permission('a')), /"a" have Permissions.*"tcp"/)
    const set = empty.put(speaks('a', 'grpc')).put(permission('A'))
    refused(() => set.put(speaks('a', 'tcp')), /Permissions/)
    refused(() => set.delete('service-defaults', 'a'), /Permissions/)
    set.delete('service-intentions', 'a').delete('service-defaults', 'a')
  })
  it('are validated again after a change of any service in the chain of their destination', () => {
    const set = empty
      .put(speaks('b', 'http'))
      .put(resolver('c', { Subsets: {} }), splitTo('a', 'b'))
      .put(permission('a'))
    refused(() => set.apply({ put: speaks('b', 'tcp') }, { delete: { kind: 'service-splitter', name: 'a' } }), /Permissions/)
  })
  it('are refused if they name jwt-providers that do not exist, with a list of all these jwt-providers', () => {
    const needing = {
      Kind: 'service-intentions',
      Name: 'a',
      JWT: { Providers: [{ Name: 'one' }, { Name: 'two' }] },
      Sources: [{ Name: 'x', Permissions: [{ JWT: { Providers: [{ Name: 'three' }] } }] }],
    }
    const set = empty.put(speaks('a', 'http'))
    refused(() => set.put(needing), /JWT.*"one", "two", "three"/)
    refused(() => set.put(provider('ONE')).put(needing), /: "two", "three"$/)
    const whole = set.put(provider('ONE'), provider('two'), provider('three'), needing)
    for (const name of ['one', 'TWO', 'three']) refused(() => whole.delete('jwt-provider', name), /jwt-provider.*needed by.*"a"/)
    whole.apply({ delete: { kind: 'jwt-provider', name: 'one' } }, { delete: { kind: 'service-intentions', name: 'a' } })
    whole.put(speaks('a', 'http'), { Kind: 'service-intentions', Name: 'a', Sources: [] }).delete('jwt-provider', 'one')
  })
})

describe('a service exported to peers', () => {
  it.each<[string, object, RegExp]>([
    ['a redirect to a datacenter', { Redirect: { Datacenter: 'dc2' } }, /redirects to the datacenter "dc2"/],
    ['a redirect to a peer', { Redirect: { Service: 'b', Peer: 'west' } }, /redirects to the peer "west"/],
    ['a redirect to a partition', { Redirect: { Service: 'b', Partition: 'two' } }, /redirects to the partition "two"/],
    ['failover to datacenters', { Failover: { '*': { Datacenters: ['dc2'] } } }, /fails over to the datacenter "dc2"/],
    [
      'failover to a target elsewhere',
      { Failover: { '*': { Targets: [{ Service: 'b' }, { Datacenter: 'dc3' }] } } },
      /fails over to the datacenter "dc3"/,
    ],
    ['a redirect of a tcp service to another service', { Redirect: { Service: 'b' } }, /redirects to the service "b"/],
  ])('must not have %s', (_what, members, text) => {
    const set = empty.put(resolver('a', members))
    refused(() => set.put(exporting('a')), text)
    refused(() => set.put(exporting('x', '*')), text)
    refused(() => empty.put(exporting('A')).put(resolver('a', members)), text)
    refused(() => empty.put(exporting('*')).put(resolver('a', members)), text)
    set.put(exporting('b'))
    set.put({ ...exporting(), Services: [{ Name: 'a', Consumers: [{ Partition: 'two' }] }] })
  })
  it('may redirect http requests to another service, and may fail over to other services and peers', () => {
    empty
      .put(global('http'))
      .put(exporting('*'))
      .put(resolver('a', { Redirect: { Service: 'b' } }))
    empty.put(exporting('*')).put(resolver('a', { Failover: { '*': { Service: 'b' } } }))
    empty.put(exporting('*')).put(resolver('a', { Failover: { '*': { Targets: [{ Service: 'b', Peer: 'west' }] } } }))
  })
  it('is refused if a failover target of its resolver redirects to another service', () => {
    const set = empty
      .put(resolver('b', { Redirect: { Service: 'c' } }))
      .put(resolver('a', { Failover: { '*': { Service: 'b' } } }))
    refused(() => set.put(exporting('a')), /"a" is exported to peers.*"b" redirects to the service "c"/)
  })
})

describe('permissive mutual TLS', () => {
  const permissive = { MutualTLSMode: 'permissive' }
  it.each([speaks('a', ''), global('tcp')])(
    'in $Kind requires that the mesh entry allows it, unless the stored $Kind already has it',
    (entry) => {
      refused(() => empty.put({ ...entry, ...permissive }), /MutualTLSMode.*AllowEnablingPermissiveMutualTLS/)
      refused(() => empty.put(mesh(false)).put({ ...entry, ...permissive }), /AllowEnablingPermissiveMutualTLS/)
      const set = empty
        .put(mesh(true))
        .put({ ...entry, ...permissive })
        .put(mesh(false))
      const kept = set.put({ ...entry, ...permissive, Meta: { tier: '1' } })
      refused(
        () => kept.put({ ...entry, MutualTLSMode: 'strict' }).put({ ...entry, ...permissive }),
        /AllowEnablingPermissiveMutualTLS/,
      )
      empty.put({ ...entry, ...permissive }, mesh(true))
    },
  )
})

it('validateChange rethrows the value that a read throws to request that a record be loaded', () => {
  const signal = Symbol('load')
  class Loading extends EntrySet {
    override get(): never {
      throw signal
    }
  }
  const set = new Loading([splitTo('a')])
  let thrown: unknown
  try {
    runToEnd(validateChange(set, set, set.changes([{ put: splitTo('a') }])))
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBe(signal)
})
