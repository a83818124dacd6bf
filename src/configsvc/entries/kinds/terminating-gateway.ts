/**
 * terminating-gateway: the services outside the mesh that a gateway leads to (configsvc.md 6.9).
 */
import { invalid } from '../../../core/base/errors.ts'
import { GATEWAY_ACCESS } from '../common/access.ts'
import { given } from '../common/alternatives.ts'
import { checkDistinct } from '../common/distinct.ts'
import { checkNamed } from '../common/http-match.ts'
import { type EntryType, kind } from '../kind.ts'
import { aliased, bool, list, record, text } from '../members/index.ts'
import { nameOfOther } from '../names.ts'

const FILES = ['CAFile', 'CertFile', 'KeyFile']

const service = record(
  {
    Name: nameOfOther(),
    CAFile: text(),
    CertFile: text(),
    KeyFile: text(),
    SNI: text(),
    DisableAutoHostRewrite: aliased(bool(), null),
    Namespace: text(),
  },
  {
    rule: (value, path) => {
      checkNamed(value, path)
      const found = given(value, FILES)
      const missing = FILES.filter((name) => !found.includes(name))
      if (given(value, ['CertFile', 'KeyFile']).length > 0 && missing.length > 0)
        throw invalid(`${path}.${missing[0]}: is required, since CertFile and KeyFile go together, and with CAFile`)
    },
  },
)

export const terminatingGateway = kind({
  name: 'terminating-gateway',
  members: {
    Services: list(service, (services, path, pace) =>
      checkDistinct(services, ({ Name, Namespace }) => ({ Name, Namespace }), path, pace, true),
    ),
  },
  ...GATEWAY_ACCESS,
})

export type TerminatingGateway = EntryType<typeof terminatingGateway>
