/**
 * service-resolver (configsvc.md 6.6).
 */
import { describeKind } from './kind-table.ts'

const Subsets = { v1: { Filter: 'Service.Meta.version == v1' } }

const failover = (all: object) => ({ Subsets, Failover: { '*': all } })

const target = (one: object) => failover({ Targets: [{ Service: 'b' }, one] })

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
      what: 'no time for connecting where it is zero',
      sent: { ConnectTimeout: 0, RequestTimeout: '0s' },
      stored: { Name: 'web' },
    },
    {
      what: 'a redirect to a subset of its own',
      sent: redirect({ Service: 'web', ServiceSubset: 'v1' }),
      stored: redirect({ ServiceSubset: 'v1' }),
    },
    {
      what: 'failover within a subset of another service',
      sent: failover({ Service: 'b', ServiceSubset: 'v9' }),
      stored: failover({ ServiceSubset: 'v9' }),
    },
    {
      what: 'policies of failover, where they say nothing',
      sent: failover({ Service: 'b', Policy: { Mode: '', Regions: [] }, SamenessGroup: '' }),
      stored: failover({ Service: 'b' }),
    },
  ],
  refused: [
    { at: 'Name', what: 'all services', sent: { Name: '*' } },
    { at: 'DefaultSubset', what: 'a default that is not there', sent: { DefaultSubset: 'v1' } },
    { at: 'DefaultSubset', what: 'a default that every object inherits', sent: { DefaultSubset: 'constructor' } },
    { at: 'Subsets', what: 'a subset of no name', sent: { Subsets: { '': {} } } },
    { at: 'Subsets', what: 'a name that is too long', sent: { Subsets: { ['a'.repeat(64)]: {} } } },
    { at: 'Subsets', what: 'a name with a dash at its end', sent: { Subsets: { 'a-': {} } } },
    {
      at: 'Subsets["v1"].Filter',
      what: 'a filter that is invalid',
      sent: { Subsets: { v1: { Filter: 'Service.Meta.version ==' } } },
    },
    { at: 'Redirect', what: 'a redirect to nowhere', sent: redirect({}) },
    { at: 'Redirect', what: 'a redirect with failover', sent: { ...failover({ Service: 'b' }), Redirect: { Service: 'b' } } },
    { at: 'Redirect.ServiceSubset', what: 'a subset of no service', sent: redirect({ ServiceSubset: 'v1' }) },
    { at: 'Redirect.Namespace', what: 'a namespace of no service', sent: redirect({ Namespace: 'n' }) },
    { at: 'Redirect.Partition', what: 'a partition of no service', sent: redirect({ Partition: 'p' }) },
    { at: 'Redirect.Peer', what: 'a peer of no service', sent: redirect({ Peer: 'p' }) },
    { at: 'Redirect.Peer', what: 'a subset at a peer', sent: redirect({ Service: 'b', Peer: 'p', ServiceSubset: 's' }) },
    { at: 'Redirect.Peer', what: 'a partition at a peer', sent: redirect({ Service: 'b', Peer: 'p', Partition: 's' }) },
    { at: 'Redirect.Peer', what: 'a datacenter at a peer', sent: redirect({ Service: 'b', Peer: 'p', Datacenter: 's' }) },
    {
      at: 'Redirect.ServiceSubset',
      what: 'a subset of its own that is not there',
      sent: redirect({ Service: 'web', ServiceSubset: 'v9' }),
    },
    { at: 'Redirect.SamenessGroup', what: 'a group', sent: redirect({ SamenessGroup: 'g' }) },
    { at: 'Failover', what: 'failover of a subset that is not there', sent: { Subsets, Failover: { v9: { Service: 'b' } } } },
    { at: 'Failover["*"]', what: 'failover to nowhere', sent: failover({}) },
    { at: 'Failover["*"].Targets', what: 'targets and a service', sent: failover({ Service: 'b', Targets: [{}] }) },
    { at: 'Failover["*"].Targets', what: 'targets and a subset', sent: failover({ ServiceSubset: 'v1', Targets: [{}] }) },
    { at: 'Failover["*"].Targets', what: 'targets and datacenters', sent: failover({ Datacenters: ['dc2'], Targets: [{}] }) },
    { at: 'Failover["*"].Datacenters[1]', what: 'an empty datacenter', sent: failover({ Datacenters: ['dc2', ''] }) },
    { at: 'Failover["*"].ServiceSubset', what: 'a subset of its own that is not there', sent: failover({ ServiceSubset: 'v9' }) },
    { at: 'Failover["*"].Policy', what: 'a policy', sent: failover({ Service: 'b', Policy: { Mode: 'sequential' } }) },
    { at: 'Failover["*"].SamenessGroup', what: 'a group', sent: failover({ SamenessGroup: 'g' }) },
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
      what: 'a subset of its own that is not there',
      sent: target({ ServiceSubset: 'v9' }),
    },
    { at: 'ConnectTimeout', what: 'a time below zero', sent: { ConnectTimeout: '-1ns' } },
    { at: 'RequestTimeout', what: 'a time below zero', sent: { RequestTimeout: -1 } },
    { at: 'LoadBalancer.Policy', what: 'a policy that is invalid', sent: balancer({ Policy: 'lucky' }) },
    {
      at: 'LoadBalancer.RingHashConfig',
      what: 'a ring without its policy',
      sent: balancer({ Policy: 'maglev', RingHashConfig: { MinimumRingSize: 1 } }),
    },
    {
      at: 'LoadBalancer.LeastRequestConfig',
      what: 'a choice without its policy',
      sent: balancer({ Policy: 'random', LeastRequestConfig: { ChoiceCount: 1 } }),
    },
    {
      at: 'LoadBalancer.HashPolicies',
      what: 'hashes without their policy',
      sent: balancer({ Policy: 'random', HashPolicies: [{ SourceIP: true }] }),
    },
    { at: `${HASH}.Field`, what: 'a field that is invalid', sent: hash({ Field: 'body', FieldValue: 'x' }) },
    { at: `${HASH}.Field`, what: 'a field without a value', sent: hash({ Field: 'header' }) },
    { at: `${HASH}.FieldValue`, what: 'a value without a field', sent: hash({ FieldValue: 'x' }) },
    { at: `${HASH}.SourceIP`, what: 'an address with a field', sent: hash({ SourceIP: true, Field: 'header', FieldValue: 'x' }) },
    { at: `${HASH}.SourceIP`, what: 'an address with a value', sent: hash({ SourceIP: true, FieldValue: 'x' }) },
    {
      at: `${HASH}.CookieConfig`,
      what: 'a cookie that is a header',
      sent: hash({ Field: 'header', FieldValue: 'x', CookieConfig: { Path: '/' } }),
    },
    {
      at: `${HASH}.CookieConfig.Session`,
      what: 'a session that lasts',
      sent: hash({ Field: 'cookie', FieldValue: 'x', CookieConfig: { Session: true, TTL: '1s' } }),
    },
    { at: 'PrioritizeByLocality', what: 'a priority', sent: { PrioritizeByLocality: { Mode: 'failover' } } },
  ],
})
