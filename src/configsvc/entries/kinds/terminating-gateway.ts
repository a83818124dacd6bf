/** terminating-gateway: the services outside of the mesh to which a gateway connects. */
import { invalid } from '../../../core/base/errors.ts'
import { GATEWAY_ACCESS } from '../common/access.ts'
import { presentMembers } from '../common/alternatives.ts'
import { checkDistinct } from '../common/distinct.ts'
import { checkHasName } from '../common/http-match.ts'
import { defineKind, type EntryType } from '../kind.ts'
import { bool, list, record, text, withAlias } from '../members/index.ts'
import { nameOfOther } from '../names.ts'

const FILES = ['CAFile', 'CertFile', 'KeyFile']

const service = record(
  {
    Name: nameOfOther(),
    CAFile: text(),
    CertFile: text(),
    KeyFile: text(),
    SNI: text(),
    DisableAutoHostRewrite: withAlias(bool(), null),
    Namespace: text(),
  },
  {
    rule: (value, path) => {
      checkHasName(value, path)
      const found = presentMembers(value, FILES)
      const missing = FILES.filter((name) => !found.includes(name))
      if (presentMembers(value, ['CertFile', 'KeyFile']).length > 0 && missing.length > 0)
        throw invalid(`${path}.${missing[0]}: is required, because CertFile, KeyFile and CAFile must be given together`)
    },
  },
)

export const terminatingGateway = defineKind({
  name: 'terminating-gateway',
  members: {
    Services: list(service, (services, path) =>
      checkDistinct(services, ({ Name, Namespace }) => ({ Name, Namespace }), path, true),
    ),
  },
  ...GATEWAY_ACCESS,
})

export type TerminatingGateway = EntryType<typeof terminatingGateway>
