/**
 * service-intentions (configsvc.md 6.7).
 */
import { describeKind } from './kind-table.ts'

const JWT = { Providers: [{ Name: 'idp', VerifyClaims: [{ Path: ['groups', 'main'], Value: 'admin' }] }] }

const source = (members: object) => ({
  Sources: [
    { Name: 'a', Action: 'allow' },
    { Name: 'b', ...members },
  ],
})

const allowed = (members: object) => source({ Action: 'allow', ...members })

const permission = (members: object) => source({ Permissions: [{ Action: 'allow', HTTP: { PathPrefix: '/' }, ...members }] })

const header = (members: object) => permission({ HTTP: { Header: [{ Name: 'h', ...members }] } })

const AT = 'Sources[1]'

const PERMISSION = `${AT}.Permissions[0]`

const HEADER = `${PERMISSION}.HTTP.Header[0]`

describeKind({
  kind: 'service-intentions',
  full: [
    {
      Kind: 'service-intentions',
      Name: 'api',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      JWT,
      Sources: [
        {
          Name: 'web',
          Namespace: 'team-b',
          Peer: 'east',
          Permissions: [
            {
              Action: 'deny',
              HTTP: {
                PathExact: '/a',
                Header: [
                  { Name: 'h1', Present: true, Invert: true },
                  { Name: 'h2', Exact: 'e', IgnoreCase: true },
                  { Name: 'h3', Prefix: 'p', IgnoreCase: true },
                  { Name: 'h4', Suffix: 's', IgnoreCase: true },
                  { Name: 'h5', Contains: 'c', IgnoreCase: true },
                  { Name: 'h6', Regex: '[' },
                ],
                Methods: ['GET', 'PUT'],
              },
              JWT,
            },
            { Action: 'allow', HTTP: { PathPrefix: '/' } },
            { Action: 'allow', HTTP: { PathRegex: '(' } },
          ],
          Precedence: 9,
          Type: 'consul',
          Description: 'first',
        },
        { Name: 'web', Partition: 'west', Action: 'allow', Precedence: 9, Type: 'consul' },
        { Name: 'web', SamenessGroup: 'g', Action: 'allow', Precedence: 9, Type: 'consul' },
        { Name: '*', Action: 'deny', Precedence: 8, Type: 'consul' },
      ],
    },
  ],
  stored: [
    {
      what: 'sources in the order of their precedence, and otherwise in the order sent',
      sent: { Sources: ['*', 'z', 'a', 'm'].map((Name) => ({ Name, Action: 'allow', Precedence: 1 })) },
      stored: {
        Sources: [
          { Name: 'z', Precedence: 9, Type: 'consul' },
          { Name: 'a', Precedence: 9 },
          { Name: 'm', Precedence: 9 },
          { Name: '*', Precedence: 8 },
        ],
      },
    },
    {
      what: 'the lower precedences of sources for a wildcard destination',
      sent: { Name: '*', Sources: ['*', 'a'].map((Name) => ({ Name, Action: 'deny' })) },
      stored: {
        Name: '*',
        Sources: [
          { Name: 'a', Precedence: 6 },
          { Name: '*', Precedence: 5 },
        ],
      },
    },
    {
      what: 'sources that were sent with legacy members',
      sent: allowed({
        LegacyID: 'x',
        legacy_create_time: '2015-10-21T16:29:00Z',
        LegacyUpdateTime: '2015-10-21T16:29:00Z',
        LegacyMeta: {},
      }),
      stored: { Sources: [{ Name: 'a' }, { Name: 'b' }] },
    },
    {
      what: 'methods in upper case',
      sent: permission({ HTTP: { Methods: ['get'] } }),
      stored: permission({ HTTP: { Methods: ['GET'] } }),
    },
    {
      what: 'a description of 512 bytes',
      sent: allowed({ Description: 'é'.repeat(256) }),
      stored: allowed({ Description: 'é'.repeat(256) }),
    },
  ],
  refused: [
    { at: 'Name', what: 'an empty name', sent: { Name: '', ...source({ Action: 'allow' }) } },
    { at: 'Name', what: 'a wildcard within the name', sent: { Name: 'web*', ...source({ Action: 'allow' }) } },
    { at: 'Sources', what: 'an entry without sources', sent: {} },
    { at: `${AT}.Name`, what: 'a source without a name', sent: allowed({ Name: '' }) },
    { at: `${AT}.Name`, what: 'a wildcard within the name of a source', sent: allowed({ Name: '*b' }) },
    { at: `${AT}.Name`, what: 'a duplicate source', sent: allowed({ Name: 'a' }) },
    { at: `${AT}.Peer`, what: 'a wildcard as a peer', sent: allowed({ Peer: '*' }) },
    { at: `${AT}.Partition`, what: 'a wildcard as a partition', sent: allowed({ Partition: '*' }) },
    { at: `${AT}.SamenessGroup`, what: 'a wildcard as a sameness group', sent: allowed({ SamenessGroup: '*' }) },
    { at: AT, what: 'a source with a peer and a partition', sent: allowed({ Peer: 'p', Partition: 'q' }) },
    { at: AT, what: 'a source with a peer and a sameness group', sent: allowed({ Peer: 'p', SamenessGroup: 'q' }) },
    { at: `${AT}.Action`, what: 'a source without an action', sent: source({}) },
    { at: `${AT}.Action`, what: 'an action that is invalid', sent: source({ Action: 'ALLOW' }) },
    {
      at: `${AT}.Action`,
      what: 'a source with an action and permissions',
      sent: {
        Sources: [
          { Name: 'a', Action: 'allow' },
          { ...permission({}).Sources[1], Action: 'deny' },
        ],
      },
    },
    { at: `${AT}.Type`, what: 'an unknown type of source', sent: allowed({ Type: 'external-uri' }) },
    { at: `${AT}.Description`, what: 'a description of 513 bytes', sent: allowed({ Description: `${'é'.repeat(256)}x` }) },
    { at: `${AT}.LegacyMeta`, what: 'legacy metadata', sent: allowed({ LegacyMeta: { a: 'b' } }) },
    { at: `${AT}.Permissions`, what: 'permissions for a wildcard destination', sent: { Name: '*', ...permission({}) } },
    { at: `${PERMISSION}.Action`, what: 'a permission without an action', sent: permission({ Action: '' }) },
    { at: `${PERMISSION}.Action`, what: 'a permission with an unknown action', sent: permission({ Action: 'audit' }) },
    {
      at: `${PERMISSION}.HTTP`,
      what: 'a permission whose conditions are empty',
      sent: permission({ HTTP: { Header: [], Methods: null } }),
    },
    {
      at: `${PERMISSION}.HTTP`,
      what: 'a permission with two paths',
      sent: permission({ HTTP: { PathExact: '/a', PathPrefix: '/b' } }),
    },
    { at: `${PERMISSION}.HTTP.PathExact`, what: 'a path that is not absolute', sent: permission({ HTTP: { PathExact: 'a' } }) },
    {
      at: `${PERMISSION}.HTTP.PathPrefix`,
      what: 'a path prefix that is not absolute',
      sent: permission({ HTTP: { PathPrefix: 'a' } }),
    },
    { at: `${PERMISSION}.HTTP.Methods[0]`, what: 'a method that is invalid', sent: permission({ HTTP: { Methods: ['BREW'] } }) },
    { at: `${PERMISSION}.HTTP.Methods[1]`, what: 'a duplicate method', sent: permission({ HTTP: { Methods: ['get', 'GET'] } }) },
    { at: `${HEADER}.Name`, what: 'a header without a name', sent: header({ Name: '', Exact: 'x' }) },
    { at: HEADER, what: 'a header without a match', sent: header({}) },
    { at: HEADER, what: 'a header with two matches', sent: header({ Contains: 'a', Regex: 'b' }) },
    { at: `${HEADER}.IgnoreCase`, what: 'a case-insensitive regular expression', sent: header({ Regex: 'b', IgnoreCase: true }) },
    {
      at: `${HEADER}.IgnoreCase`,
      what: 'a case-insensitive test for presence',
      sent: header({ Present: true, IgnoreCase: true }),
    },
    {
      at: 'JWT.Providers[0].Name',
      what: 'a provider without a name',
      sent: { ...source({ Action: 'deny' }), JWT: { Providers: [{}] } },
    },
    {
      at: `${PERMISSION}.JWT.Providers[0].Name`,
      what: 'a provider without a name in a permission',
      sent: permission({ JWT: { Providers: [{}] } }),
    },
  ],
})
