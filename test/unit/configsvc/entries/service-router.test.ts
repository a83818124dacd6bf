/**
 * service-router (configsvc.md 6.4).
 */
import { describeKind } from './kind-table.ts'

const route = (members: object) => ({ Routes: [{}, members] })

const http = (HTTP: object) => route({ Match: { HTTP } })

const header = (members: object) => http({ Header: [{ Name: 'x-a', ...members }] })

const query = (members: object) => http({ QueryParam: [{ Name: 'q', ...members }] })

const HTTP = 'Routes[1].Match.HTTP'

describeKind({
  kind: 'service-router',
  full: [
    {
      Kind: 'service-router',
      Name: 'web',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Routes: [
        {
          Match: {
            HTTP: {
              PathExact: '/a',
              CaseInsensitive: true,
              Header: [
                { Name: 'h1', Present: true, Invert: true },
                { Name: 'h2', Exact: 'e' },
                { Name: 'h3', Prefix: 'p' },
                { Name: 'h4', Suffix: 's' },
                { Name: 'h5', Regex: '[' },
              ],
              QueryParam: [
                { Name: 'q1', Present: true },
                { Name: 'q2', Exact: 'e' },
                { Name: 'q3', Regex: '(' },
              ],
              Methods: ['GET', 'TRACE'],
            },
          },
          Destination: {
            Service: 'other',
            ServiceSubset: 'v2',
            Namespace: 'team-b',
            Partition: 'west',
            PrefixRewrite: '/b',
            RequestTimeout: '15s',
            IdleTimeout: '1h0m0s',
            NumRetries: 4294967295,
            RetryOnConnectFailure: true,
            RetryOn: ['5xx', 'unavailable'],
            RetryOnStatusCodes: [503, 504],
            RequestHeaders: { Add: { 'X-Add': '1' }, Set: { 'X-Set': '2' }, Remove: ['x-gone'] },
            ResponseHeaders: { Add: { 'X-Add': '1' }, Set: { 'X-Set': '2' }, Remove: ['x-gone'] },
          },
        },
        { Match: { HTTP: { PathPrefix: '/a' } } },
        { Match: { HTTP: { PathRegex: 'a(' } } },
        {},
      ],
    },
  ],
  stored: [
    { what: 'methods in upper case', sent: http({ Methods: ['get', 'Post'] }), stored: http({ Methods: ['GET', 'POST'] }) },
    { what: 'a single method as a list', sent: http({ Methods: 'put' }), stored: http({ Methods: ['PUT'] }) },
    {
      what: 'status codes that are sent as strings',
      sent: route({ Destination: { RetryOnStatusCodes: ['503'] } }),
      stored: route({ Destination: { RetryOnStatusCodes: [503] } }),
    },
    { what: 'an empty list of routes', sent: { Routes: [] }, stored: { Name: 'web' } },
  ],
  refused: [
    { at: 'Name', what: 'a wildcard as its name', sent: { Name: '*' } },
    { at: `${HTTP}.PathExact`, what: 'a path that is not absolute', sent: http({ PathExact: 'a' }) },
    { at: `${HTTP}.PathPrefix`, what: 'a path prefix that is not absolute', sent: http({ PathPrefix: 'a' }) },
    { at: HTTP, what: 'a match with two paths', sent: http({ PathExact: '/a', PathRegex: 'b' }) },
    { at: `${HTTP}.Header[0].Name`, what: 'a header without a name', sent: http({ Header: [{ Present: true }] }) },
    { at: `${HTTP}.Header[0]`, what: 'a header without a match', sent: header({ Invert: true }) },
    { at: `${HTTP}.Header[0]`, what: 'a header with two matches', sent: header({ Prefix: 'a', Suffix: 'b' }) },
    { at: `${HTTP}.QueryParam[0].Name`, what: 'a query parameter without a name', sent: http({ QueryParam: [{ Exact: 'a' }] }) },
    { at: `${HTTP}.QueryParam[0]`, what: 'a query parameter without a match', sent: query({}) },
    { at: `${HTTP}.QueryParam[0]`, what: 'a query parameter with two matches', sent: query({ Exact: 'a', Regex: 'b' }) },
    { at: `${HTTP}.Methods[1]`, what: 'a method that is invalid', sent: http({ Methods: ['GET', 'BREW'] }) },
    { at: `${HTTP}.Methods[1]`, what: 'a duplicate method', sent: http({ Methods: ['GET', 'get'] }) },
    {
      at: 'Routes[1].Destination.PrefixRewrite',
      what: 'a prefix rewrite without a path match',
      sent: route({ Destination: { PrefixRewrite: '/b' } }),
    },
    {
      at: 'Routes[1].Destination.PrefixRewrite',
      what: 'a prefix rewrite for a regular expression',
      sent: route({ Match: { HTTP: { PathRegex: 'a' } }, Destination: { PrefixRewrite: '/b' } }),
    },
    {
      at: 'Routes[1].Destination.RetryOn[0]',
      what: 'an invalid retry condition',
      sent: route({ Destination: { RetryOn: ['reset '] } }),
    },
    {
      at: 'Routes[1].Destination.RetryOnStatusCodes[0]',
      what: 'a negative status code',
      sent: route({ Destination: { RetryOnStatusCodes: [-1] } }),
    },
    {
      at: 'Routes[1].Destination.NumRetries',
      what: 'a negative number of retries',
      sent: route({ Destination: { NumRetries: -1 } }),
    },
    {
      at: 'Routes[1].Destination.RequestTimeout',
      what: 'a timeout that is invalid',
      sent: route({ Destination: { RequestTimeout: 'soon' } }),
    },
    {
      at: 'Routes[1].Destination.Service',
      what: 'a destination whose name is too long',
      sent: route({ Destination: { Service: 'x'.repeat(257) } }),
    },
    { at: 'Routes', what: 'more than 10,000 routes', sent: { Routes: Array.from({ length: 10_001 }, () => ({})) } },
  ],
})
