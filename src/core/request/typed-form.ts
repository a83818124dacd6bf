/** Describes the requests that are equivalent to typed calls, for policies and the audit log. */
import type { AuditedAnswer } from '../audit/answer-text.ts'
import type { AnyBatch, AnySingle } from '../contract/operation.ts'
import type { Fields } from '../field/field.ts'
import { encodeResult, fieldList, type Values } from '../field/parse.ts'
import type { OperationOutcome } from '../transaction/runner.ts'
import { showItem } from './shown-item.ts'
import type { TypedForm } from './typed-authorization.ts'

export function singleForm(operation: AnySingle): TypedForm<OperationOutcome<Values | undefined>> {
  const { fields, body, rest, returns, wire } = operation
  const sent = rest === undefined ? sentFields(fields) : withRest(sentFields(fields), rest)
  return {
    operation,
    sent: body === undefined ? sent : (input, captures, ready) => (sent(input, captures, ready)[body] ?? {}) as Values,
    answer: ({ value, warnings }, input) => {
      if (value === undefined) return { warnings }
      return { reply: wire?.(value) ?? { data: encodeResult(returns, value, input) }, warnings }
    },
  }
}

/** Returns a function that replaces the parameter `rest` by the members of its value. */
const withRest =
  (sent: TypedForm<never>['sent'], rest: string): TypedForm<never>['sent'] =>
  (input, captures, ready) => {
    const { [rest]: others, ...named } = sent(input, captures, ready)
    return { ...(others as Values | undefined), ...named }
  }

export function itemForm(operation: AnyBatch): TypedForm<OperationOutcome<Values>> {
  return {
    operation,
    sent: sentFields({ ...operation.fields, ...operation.item }),
    answer: ({ value, warnings }): AuditedAnswer => ({ data: encodeResult(operation.returns, value), warnings }),
  }
}

export function batchForm(operation: AnyBatch): TypedForm<OperationOutcome<Values>> {
  const sent = sentFields(operation.fields)
  return {
    operation,
    sent: (input, captures) => ({ ...sent(input, captures), batch_input: input['batch_input'] }),
    answer: ({ value, warnings }): AuditedAnswer => {
      const shown = (value['batch_results'] as readonly Values[]).map((item) =>
        showItem(operation, item['error'] instanceof Error ? item['error'] : item, item['reference'] as string),
      )
      return { data: { batch_results: shown }, warnings }
    },
  }
}

const NONE: Values = Object.freeze({})

/** Returns a function that selects the parameters that are not part of the path and differ from their defaults. */
function sentFields(fields: Fields): TypedForm<never>['sent'] {
  return (input, captures, ready = NONE) => {
    const sent: Record<string, unknown> = {}
    for (const [name, field] of fieldList(fields)) {
      const value = input[name]
      if (value === undefined || value === field.fallback || name in captures) continue
      sent[name] = ready[name] ?? (field.sent ? field.sent(value) : value)
    }
    return sent
  }
}
