/**
 * http-route (configsvc.md 6.12).
 */
import { expect, it } from 'vitest'
import { describeKind } from './kind-table.ts'
import { accepted } from './outcome.ts'

const parents = (...Parents: readonly object[]) => ({ Parents })

const rule = (members: object) => ({ Rules: [members] })

const match = (members: object) => rule({ Matches: [members] })

const ANY = { Match: 'prefix', Value: '/' }

const filters = {
  Filters: {
    Headers: [{ Add: { a: '1' }, Set: { b: '2' }, Remove: ['c'] }],
    URLRewrite: { Path: '/v2' },
    RetryFilter: { NumRetries: 3, RetryOn: ['whatever'], RetryOnStatusCodes: [503], RetryOnConnectFailure: true },
    TimeoutFilter: { RequestTimeout: 60_000_000_000, IdleTimeout: 3_600_000_000_000 },
  },
  ResponseFilters: { Headers: [{ Add: { a: '1' } }, { Remove: ['b'] }] },
}

describeKind({
  kind: 'http-route',
  plain: true,
  full: [
    {
      Kind: 'http-route',
      Name: 'route',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Parents: [
        { Kind: 'api-gateway', Name: 'gate', SectionName: 'main', Namespace: 'team-b', Partition: 'west' },
        { Kind: 'api-gateway', Name: 'gate' },
      ],
      Hostnames: ['a.example', 'b.example'],
      Rules: [
        {
          Matches: [
            {
              Headers: [
                { Match: 'exact', Name: 'h1', Value: 'v' },
                { Match: 'prefix', Name: 'h2', Value: 'v' },
                { Match: 'suffix', Name: 'h3', Value: 'v' },
                { Match: 'present', Name: 'h4' },
                { Match: 'regex', Name: 'h5', Value: '(' },
              ],
              Method: 'GET',
              Path: { Match: 'exact', Value: '/a' },
              Query: [
                { Match: 'exact', Name: 'q1', Value: 'v' },
                { Match: 'present', Name: 'q2' },
                { Match: 'regex', Name: 'q3', Value: '[' },
              ],
            },
            { Path: { Match: 'regex', Value: 'a[' } },
          ],
          ...filters,
          Services: [{ Name: 'web', Weight: 7, ...filters, Namespace: 'team-b', Partition: 'west' }],
        },
      ],
    },
  ],
  stored: [
    { what: 'an entry without parents and rules', sent: {}, stored: { Name: 'web' } },
    { what: 'a wildcard as its name', sent: { Name: '*' }, stored: { Name: '*' } },
    {
      what: 'api-gateway as the default kind of a parent',
      sent: parents({ Name: 'gate' }),
      stored: parents({ Kind: 'api-gateway', Name: 'gate' }),
    },
    { what: 'a match of all paths if no path is given', sent: match({}), stored: match({ Path: ANY }) },
    {
      what: 'a match of all paths if the path is empty',
      sent: match({ Path: { Match: '', Value: '' } }),
      stored: match({ Path: ANY }),
    },
    { what: 'methods in upper case', sent: match({ Method: 'patch' }), stored: match({ Method: 'PATCH', Path: ANY }) },
    {
      what: 'weights below 1 as 1',
      sent: rule({ Services: [{ Name: 'a' }, { Name: 'b', Weight: -3 }, { Name: 'c', Weight: 2 }] }),
      stored: rule({
        Services: [
          { Name: 'a', Weight: 1 },
          { Name: 'b', Weight: 1 },
          { Name: 'c', Weight: 2 },
        ],
      }),
    },
  ],
  refused: [
    { at: 'Name', what: 'an empty name', sent: { Name: '' } },
    { at: 'Parents[0].Kind', what: 'a parent that is not a gateway', sent: parents({ Kind: 'mesh', Name: 'a' }) },
    { at: 'Parents[0].Name', what: 'a parent without a name', sent: parents({ Kind: 'api-gateway' }) },
    { at: 'Parents[1].Name', what: 'a duplicate parent', sent: parents({ Name: 'a' }, { Kind: 'api-gateway', Name: 'a' }) },
    { at: 'Hostnames[0]', what: 'a wildcard as the whole host name', sent: { Hostnames: ['*'] } },
    { at: 'Hostnames[1]', what: 'a wildcard in a host name', sent: { Hostnames: ['a.example', '*.example'] } },
    { at: 'Hostnames[0]', what: 'a host name that is invalid', sent: { Hostnames: ['a b'] } },
    {
      at: 'Rules[0].Matches[0].Headers[0].Match',
      what: 'a header without a match type',
      sent: match({ Headers: [{ Name: 'a' }] }),
    },
    {
      at: 'Rules[0].Matches[0].Headers[0].Name',
      what: 'a header without a name',
      sent: match({ Headers: [{ Match: 'present' }] }),
    },
    {
      at: 'Rules[0].Matches[0].Query[0].Match',
      what: 'a prefix match of a query parameter',
      sent: match({ Query: [{ Match: 'prefix', Name: 'a' }] }),
    },
    {
      at: 'Rules[0].Matches[0].Query[0].Name',
      what: 'a query parameter without a name',
      sent: match({ Query: [{ Match: 'exact' }] }),
    },
    { at: 'Rules[0].Matches[0].Method', what: 'a method that is invalid', sent: match({ Method: 'BREW' }) },
    { at: 'Rules[0].Matches[0].Path.Match', what: 'a path without a match type', sent: match({ Path: { Value: '/a' } }) },
    {
      at: 'Rules[0].Matches[0].Path.Value',
      what: 'a path that is not absolute',
      sent: match({ Path: { Match: 'exact', Value: 'a' } }),
    },
    { at: 'Rules[0].Matches[0].Path.Value', what: 'an empty path prefix', sent: match({ Path: { Match: 'prefix' } }) },
    { at: 'Rules[0].Services[0].Name', what: 'a service without a name', sent: rule({ Services: [{ Weight: 1 }] }) },
    {
      at: 'Rules[0].Filters.JWT',
      what: 'a JWT filter',
      sent: rule({ Filters: { JWT: { Providers: [{ Name: 'a' }] } } }),
    },
    {
      at: 'Rules[0].Filters.RetryFilter.NumRetries',
      what: 'a negative number of retries',
      sent: rule({ Filters: { RetryFilter: { NumRetries: -1 } } }),
    },
    {
      at: 'Rules[0].Filters.TimeoutFilter.IdleTimeout',
      what: 'a timeout that is invalid',
      sent: rule({ Filters: { TimeoutFilter: { IdleTimeout: 'soon' } } }),
    },
  ],
})

it('an http-route is stored without the Status of the request', () => {
  const sent = { Kind: 'http-route', Name: 'route' }
  expect(accepted({ ...sent, Status: { Conditions: [] } })).toEqual(sent)
})

it('an http-route with member names in snake case is refused', () => {
  const sent = rule({ filters: { retry_filter: {}, RetryFilter: { num_retries: 1 } } })
  expect(() => accepted({ Kind: 'http-route', Name: 'route', ...sent })).toThrow(
    'invalid config key "Rules[0].Filters.retry_filter"\ninvalid config key "Rules[0].Filters.RetryFilter.num_retries"',
  )
})
