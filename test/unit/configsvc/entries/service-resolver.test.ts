/**
 * service-resolver (configsvc.md 6.6).
 */
import { describeKind } from './kind-table.ts'

const Subsets = { v1: { Filter: 'Service.Meta.version == v1' } }

const failover = (all: object) => ({ Subsets, Failover: { '*': all } })

const target = (members: object) => failover({ Targets: [{ Service: 'b' }, members] })

const redirect = (Redirect: object) => ({ Subsets, Redirect })

const balancer = (LoadBalancer: object) => ({ LoadBalancer })

const hash = (policy: object) => balancer({ Policy: 'maglev', HashPolicies: [policy] })

const HASH = 'LoadBalancer.HashPolicies[0]'

describeKind({
  kind: 'service-resolver',
  full: [
    {
      Kind: 'service-resolver',
      Name: 'web',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      DefaultSubset: 'v1',
      Subsets: { v1: { Filter: 'Service.Meta.version == v1', OnlyPassing: true }, v2: {} },
      Failover: {
        '*': { Service: 'b', ServiceSubset: 'x', Namespace: 'n', Datacenters: ['dc2', 'dc3'] },
        v1: {
          Targets: [
            { Service: 'b', ServiceSubset: 'x', Namespace: 'n', Partition: 'p' },
            { Datacenter: 'dc2' },
            { Service: 'c', Peer: 'east' },
          ],
        },
      },
      ConnectTimeout: '15s',
      RequestTimeout: '1m0s',
      LoadBalancer: {
        Policy: 'ring_hash',
        RingHashConfig: { MinimumRingSize: 1024, MaximumRingSize: 8192 },
        HashPolicies: [
          { Field: 'cookie', FieldValue: 'sid', CookieConfig: { TTL: 10_000_000_000, Path: '/' }, Terminal: true },
          { Field: 'cookie', FieldValue: 'tmp', CookieConfig: { Session: true } },
          { SourceIP: true },
        ],
      },
    },
    {
      Kind: 'service-resolver',
      Name: 'web',
      Redirect: { Service: 'b', ServiceSubset: 'x', Namespace: 'n', Partition: 'p', Datacenter: 'dc2' },
      LoadBalancer: { Policy: 'least_request', LeastRequestConfig: { ChoiceCount: 2 } },
    },
    { Kind: 'service-resolver', Name: 'web', Redirect: { Service: 'b', Peer: 'east' } },
  ],
  stored: [
    {
      what: 'an entry whose timeouts are zero',
      sent: { ConnectTimeout: 0, RequestTimeout: '0s' },
      stored: { Name: 'web' },
    },
    {
      what: 'a redirect to a subset of the service itself',
      sent: redirect({ Service: 'web', ServiceSubset: 'v1' }),
      stored: redirect({ ServiceSubset: 'v1' }),
    },
    {
      what: 'failover to a subset of another service',
      sent: failover({ Service: 'b', ServiceSubset: 'v9' }),
      stored: failover({ ServiceSubset: 'v9' }),
    },
    {
      what: 'failover with an empty policy and sameness group',
      sent: failover({ Service: 'b', Policy: { Mode: '', Regions: [] }, SamenessGroup: '' }),
      stored: failover({ Service: 'b' }),
    },
  ],
  refused: [
    { at: 'Name', what: 'a wildcard as its name', sent: { Name: '*' } },
    { at: 'DefaultSubset', what: 'a default subset that does not exist', sent: { DefaultSubset: 'v1' } },
    { at: 'DefaultSubset', what: 'a default subset named like an inherited property', sent: { DefaultSubset: 'constructor' } },
    { at: 'Subsets', what: 'a subset with an empty name', sent: { Subsets: { '': {} } } },
    { at: 'Subsets', what: 'a subset name that is too long', sent: { Subsets: { ['a'.repeat(64)]: {} } } },
    { at: 'Subsets', what: 'a subset name that ends in a hyphen', sent: { Subsets: { 'a-': {} } } },
    {
      at: 'Subsets["v1"].Filter',
      what: 'a filter that is invalid',
      sent: { Subsets: { v1: { Filter: 'Service.Meta.version ==' } } },
    },
    { at: 'Redirect', what: 'an empty redirect', sent: redirect({}) },
    {
      at: 'Redirect',
      what: 'a redirect in addition to failover',
      sent: { ...failover({ Service: 'b' }), Redirect: { Service: 'b' } },
    },
    { at: 'Redirect.ServiceSubset', what: 'a redirect to a subset without a service', sent: redirect({ ServiceSubset: 'v1' }) },
    { at: 'Redirect.Namespace', what: 'a redirect to a namespace without a service', sent: redirect({ Namespace: 'n' }) },
    { at: 'Redirect.Partition', what: 'a redirect to a partition without a service', sent: redirect({ Partition: 'p' }) },
    { at: 'Redirect.Peer', what: 'a redirect to a peer without a service', sent: redirect({ Peer: 'p' }) },
    { at: 'Redirect.Peer', what: 'a subset at a peer', sent: redirect({ Service: 'b', Peer: 'p', ServiceSubset: 's' }) },
    { at: 'Redirect.Peer', what: 'a partition at a peer', sent: redirect({ Service: 'b', Peer: 'p', Partition: 's' }) },
    { at: 'Redirect.Peer', what: 'a datacenter at a peer', sent: redirect({ Service: 'b', Peer: 'p', Datacenter: 's' }) },
    {
      at: 'Redirect.ServiceSubset',
      what: 'a missing subset of the service itself',
      sent: redirect({ Service: 'web', ServiceSubset: 'v9' }),
    },
    { at: 'Redirect.SamenessGroup', what: 'a sameness group', sent: redirect({ SamenessGroup: 'g' }) },
    { at: 'Failover', what: 'failover of a subset that does not exist', sent: { Subsets, Failover: { v9: { Service: 'b' } } } },
    { at: 'Failover["*"]', what: 'empty failover', sent: failover({}) },
    { at: 'Failover["*"].Targets', what: 'failover with targets and a service', sent: failover({ Service: 'b', Targets: [{}] }) },
    {
      at: 'Failover["*"].Targets',
      what: 'failover with targets and a subset',
      sent: failover({ ServiceSubset: 'v1', Targets: [{}] }),
    },
    {
      at: 'Failover["*"].Targets',
      what: 'failover with targets and datacenters',
      sent: failover({ Datacenters: ['dc2'], Targets: [{}] }),
    },
    { at: 'Failover["*"].Datacenters[1]', what: 'an empty name of a datacenter', sent: failover({ Datacenters: ['dc2', ''] }) },
    {
      at: 'Failover["*"].ServiceSubset',
      what: 'a missing subset of the service itself',
      sent: failover({ ServiceSubset: 'v9' }),
    },
    { at: 'Failover["*"].Policy', what: 'a failover policy', sent: failover({ Service: 'b', Policy: { Mode: 'sequential' } }) },
    { at: 'Failover["*"].SamenessGroup', what: 'a sameness group', sent: failover({ SamenessGroup: 'g' }) },
    { at: 'Failover["*"].Targets[1].Peer', what: 'a subset at a peer', sent: target({ Peer: 'p', ServiceSubset: 's' }) },
    { at: 'Failover["*"].Targets[1].Peer', what: 'a partition at a peer', sent: target({ Peer: 'p', Partition: 's' }) },
    { at: 'Failover["*"].Targets[1].Peer', what: 'a datacenter at a peer', sent: target({ Peer: 'p', Datacenter: 's' }) },
    {
      at: 'Failover["*"].Targets[1].Partition',
      what: 'a datacenter in a partition',
      sent: target({ Partition: 'p', Datacenter: 's' }),
    },
    {
      at: 'Failover["*"].Targets[1].ServiceSubset',
      what: 'a missing subset of the service itself',
      sent: target({ ServiceSubset: 'v9' }),
    },
    { at: 'ConnectTimeout', what: 'a negative time', sent: { ConnectTimeout: '-1ns' } },
    { at: 'RequestTimeout', what: 'a negative time', sent: { RequestTimeout: -1 } },
    { at: 'LoadBalancer.Policy', what: 'an invalid load balancer policy', sent: balancer({ Policy: 'lucky' }) },
    {
      at: 'LoadBalancer.RingHashConfig',
      what: 'a ring hash configuration for another load balancer policy',
      sent: balancer({ Policy: 'maglev', RingHashConfig: { MinimumRingSize: 1 } }),
    },
    {
      at: 'LoadBalancer.LeastRequestConfig',
      what: 'a least request configuration for another load balancer policy',
      sent: balancer({ Policy: 'random', LeastRequestConfig: { ChoiceCount: 1 } }),
    },
    {
      at: 'LoadBalancer.HashPolicies',
      what: 'hash policies for a load balancer policy that does not hash',
      sent: balancer({ Policy: 'random', HashPolicies: [{ SourceIP: true }] }),
    },
    { at: `${HASH}.Field`, what: 'an invalid hash field', sent: hash({ Field: 'body', FieldValue: 'x' }) },
    { at: `${HASH}.Field`, what: 'a hash field without a value', sent: hash({ Field: 'header' }) },
    { at: `${HASH}.FieldValue`, what: 'a hash value without a field', sent: hash({ FieldValue: 'x' }) },
    {
      at: `${HASH}.SourceIP`,
      what: 'a hash of the source IP address with a field',
      sent: hash({ SourceIP: true, Field: 'header', FieldValue: 'x' }),
    },
    {
      at: `${HASH}.SourceIP`,
      what: 'a hash of the source IP address with a value',
      sent: hash({ SourceIP: true, FieldValue: 'x' }),
    },
    {
      at: `${HASH}.CookieConfig`,
      what: 'cookie settings for a hash of a header',
      sent: hash({ Field: 'header', FieldValue: 'x', CookieConfig: { Path: '/' } }),
    },
    {
      at: `${HASH}.CookieConfig.Session`,
      what: 'a session cookie with a lifetime',
      sent: hash({ Field: 'cookie', FieldValue: 'x', CookieConfig: { Session: true, TTL: '1s' } }),
    },
    { at: 'PrioritizeByLocality', what: 'a priority by locality', sent: { PrioritizeByLocality: { Mode: 'failover' } } },
  ],
})
