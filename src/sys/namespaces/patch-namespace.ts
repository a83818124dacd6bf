/** PATCH sys/namespaces/:name, RFC 7396 (source: behaviour of the originals). */

import { notFound } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Builder } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { memberOf, namesOf } from '../../core/json/wide-object.ts'
import { replaceMetadata } from './create-namespace.ts'
import { checkMetadata } from './custom-metadata.ts'
import { childOf, NAME, NAMESPACE_RESULT, showNamespace } from './namespace-view.ts'

const CHANGES = f.object('Names with texts, which are set, or with null, which are removed.') as Builder<
  Readonly<Record<string, unknown>>,
  Readonly<Record<string, string | null>>
>

export const patchNamespace = operation({
  kind: 'write',
  verb: 'PATCH',
  path: '/namespaces/+name',
  forwardable: true,
  summary: 'Changes metadata of a namespace below this one.',
  fields: {
    name: NAME,
    custom_metadata: CHANGES.default({}),
  },
  returns: NAMESPACE_RESULT,
  run: (tx, { name, custom_metadata }) => {
    const known = childOf(tx, name)
    if (!known) throw notFound('name: there is no such namespace')
    const merged: Record<string, unknown> = { ...known.custom_metadata }
    for (const key of namesOf(custom_metadata)) {
      const value = memberOf(custom_metadata, key)
      if (value === null) delete merged[key]
      else merged[key] = value
    }
    return showNamespace(replaceMetadata(tx, known, checkMetadata(merged)))
  },
})
