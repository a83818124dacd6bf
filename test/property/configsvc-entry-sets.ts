/**
 * Random config entries that reference each other. They are normalized except for members that the checks across entries ignore.
 */
import type { AnyEntry, Wish } from '../fixtures/entry-set.ts'
import fc from '../fixtures/fast-check.ts'

/** All services that the entries reference. */
export const SERVICES = ['a', 'b', 'c', 'd', 'e']

const service = fc.constantFrom(...SERVICES)
/** The name of a service as other entries reference it, in any case. */
const reference = fc.oneof({ arbitrary: service, weight: 5 }, fc.constantFrom('A', 'B'))
const subset = fc.constantFrom('v1', 'v2')
/** Usually http, because a set with random protocols is nearly always refused. */
const protocol = fc.oneof({ arbitrary: fc.constant('http'), weight: 6 }, fc.constantFrom('', 'tcp', 'grpc'))
const mode = fc.oneof({ arbitrary: fc.constant(''), weight: 6 }, fc.constant('permissive'))
const mostlyNot = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 })

const defaults = fc.record({
  Kind: fc.constant('service-defaults'),
  Name: service,
  Protocol: protocol,
  ExternalSNI: fc.oneof({ arbitrary: fc.constant(''), weight: 5 }, fc.constant('outside.example')),
  MutualTLSMode: mode,
})
const proxy = fc.record({
  Kind: fc.constant('proxy-defaults'),
  Name: fc.constant('global'),
  Config: fc.record({ protocol }),
  MutualTLSMode: mode,
})
const destination = fc.record({ Service: fc.option(reference, { nil: undefined }), ServiceSubset: mostlyNot(subset) })
const router = fc.record({
  Kind: fc.constant('service-router'),
  Name: service,
  Routes: fc.array(fc.record({ Destination: fc.option(destination, { nil: undefined }) }), { maxLength: 3 }),
})
const splitter = fc.record({
  Kind: fc.constant('service-splitter'),
  Name: service,
  Splits: fc.array(
    destination.map((to) => ({ ...to, Weight: 50 })),
    { minLength: 1, maxLength: 3 },
  ),
})
const far = fc.oneof(
  fc.record({ Service: reference }),
  fc.record({ Service: reference, ServiceSubset: subset }),
  fc.record({ Datacenter: fc.constantFrom('dc2', 'dc3') }),
  fc.record({ Service: reference, Datacenter: fc.constant('dc2') }),
  fc.record({ Service: reference, Peer: fc.constant('east') }),
)
const section = fc.oneof(
  fc.record({ Service: reference }),
  fc.record({ Datacenters: fc.constant(['dc2', 'dc3']) }),
  fc.record({ Service: reference, ServiceSubset: subset }),
  fc.record({ Targets: fc.array(far, { minLength: 1, maxLength: 2 }) }),
)
const resolver = fc
  .record({
    Kind: fc.constant('service-resolver'),
    Name: service,
    Subsets: fc.subarray(['v1', 'v2']).map((names) => Object.fromEntries(names.map((name) => [name, {}]))),
    DefaultSubset: mostlyNot(subset),
    Redirect: mostlyNot(far),
    Failover: mostlyNot(fc.dictionary(fc.constantFrom('*', 'v1'), section, { maxKeys: 2 })),
  })
  .map(({ DefaultSubset, Redirect, Failover, ...rest }) => ({
    ...rest,
    // Fix what the rules of the kind would refuse, so that the entry reaches the checks across entries.
    ...(DefaultSubset && Object.hasOwn(rest.Subsets, DefaultSubset) && { DefaultSubset }),
    ...(Redirect ? { Redirect } : Failover && { Failover }),
  }))
const providers = fc.record({
  Providers: fc.array(fc.record({ Name: fc.constantFrom('idp', 'IDP', 'other') }), { maxLength: 2 }),
})
const intentions = fc.record({
  Kind: fc.constant('service-intentions'),
  Name: fc.oneof(service, fc.constant('A')),
  JWT: mostlyNot(providers),
  Sources: fc.array(
    fc.record({
      Name: service,
      Permissions: fc.option(fc.array(fc.record({ JWT: mostlyNot(providers) }), { maxLength: 2 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
})
const gateway = fc.constantFrom('g', 'h')
const ingress = fc.record({
  Kind: fc.constant('ingress-gateway'),
  Name: gateway,
  Listeners: fc.array(
    fc.record({
      Port: fc.nat(9),
      Protocol: fc.constantFrom('tcp', 'http', 'http'),
      Services: fc.array(fc.record({ Name: fc.oneof(reference, fc.constant('*')) }), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
})
const terminating = fc.record({ Kind: fc.constant('terminating-gateway'), Name: gateway })
const exported = fc.record({
  Kind: fc.constant('exported-services'),
  Name: fc.constant('default'),
  Services: fc.array(
    fc.record({
      Name: fc.oneof({ arbitrary: reference, weight: 5 }, fc.constant('*')),
      Consumers: fc.constantFrom([{ Peer: 'east' }], [{}]),
    }),
    { maxLength: 2 },
  ),
})
const mesh = fc.record({ Kind: fc.constant('mesh'), Name: fc.constant('mesh'), AllowEnablingPermissiveMutualTLS: fc.boolean() })
const provider = fc.record({ Kind: fc.constant('jwt-provider'), Name: fc.constantFrom('idp', 'other') })

const entry: fc.Arbitrary<AnyEntry> = fc.oneof(
  { arbitrary: defaults, weight: 4 },
  { arbitrary: proxy, weight: 2 },
  { arbitrary: router, weight: 3 },
  { arbitrary: splitter, weight: 4 },
  { arbitrary: resolver, weight: 5 },
  { arbitrary: intentions, weight: 2 },
  { arbitrary: ingress, weight: 2 },
  terminating,
  { arbitrary: exported, weight: 2 },
  mesh,
  provider,
)
export const wishFor = (entries: fc.Arbitrary<AnyEntry>): fc.Arbitrary<Wish> =>
  fc.oneof(
    { arbitrary: entries.map((put) => ({ put })), weight: 4 },
    entries.map(({ Kind, Name }) => ({ delete: { kind: Kind, name: Name } })),
  )
/** A change of one entry of any kind. */
export const wish = wishFor(entry)

export const keyOf = (wish: Wish): string =>
  ('put' in wish ? `${wish.put.Kind}/${wish.put.Name}` : `${wish.delete.kind}/${wish.delete.name}`).toLowerCase()

/** At most one change per entry. */
export const together = (wishes: fc.Arbitrary<Wish>, most: number) =>
  fc.uniqueArray(wishes, { selector: keyOf, minLength: 1, maxLength: most })

/** Entries with one destination each form long chains, in which a change has distant effects. */
const few = fc.constantFrom('a', 'b', 'c', 'd')
export const link: fc.Arbitrary<AnyEntry> = fc.oneof(
  fc.record({
    Kind: fc.constant('service-defaults'),
    Name: few,
    Protocol: fc.constantFrom('http', 'http', 'http', 'grpc', 'tcp'),
  }),
  fc.tuple(few, few).map(([Name, Service]) => ({ Kind: 'service-router', Name, Routes: [{ Destination: { Service } }] })),
  {
    arbitrary: fc
      .tuple(few, few)
      .map(([Name, Service]) => ({ Kind: 'service-splitter', Name, Splits: [{ Service, Weight: 100 }] })),
    weight: 2,
  },
  {
    arbitrary: fc
      .tuple(
        few,
        fc.oneof(
          few.map((Service) => ({ Service })),
          fc.constant({ Datacenter: 'dc2' }),
        ),
      )
      .map(([Name, Redirect]) => ({ Kind: 'service-resolver', Name, Redirect })),
    weight: 2,
  },
  fc.tuple(few, few).map(([Name, Service]) => ({ Kind: 'service-resolver', Name, Failover: { '*': { Service } } })),
  few.map((Name) => ({ Kind: 'exported-services', Name: 'default', Services: [{ Name, Consumers: [{ Peer: 'east' }] }] })),
)
