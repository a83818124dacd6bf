/** tcp-route: the service to which a gateway sends TCP connections. Its members have no aliases. */
import { invalid } from '../../../core/base/errors.ts'
import { MESH_ACCESS } from '../common/access.ts'
import { checkHasName } from '../common/http-match.ts'
import { servicesOf } from '../common/named-services.ts'
import { PARENTS, parentsOf } from '../common/parents.ts'
import { defineKind, type EntryType } from '../kind.ts'
import { list, record, text } from '../members/index.ts'
import { anyName, nameOfOther } from '../names.ts'

const service = record({ Name: nameOfOther(), Namespace: text(), Partition: text() }, { plain: true, rule: checkHasName })

export const tcpRoute = defineKind({
  name: 'tcp-route',
  members: {
    Parents: PARENTS,
    Services: list(service, ({ length }, path) => {
      if (length > 1) throw invalid(`${path}: must contain at most one service`)
    }),
  },
  plain: true,
  nameOf: anyName,
  hasStatus: true,
  ...MESH_ACCESS,
  refersTo: function* (route) {
    yield* parentsOf(route)
    yield* servicesOf(route.Services ?? [])
  },
})

export type TcpRoute = EntryType<typeof tcpRoute>
