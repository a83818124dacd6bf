/**
 * How filters see the entries of a kind.
 */
import { type RecordShape, record, uint } from '../expression/index.ts'
import type { Kind } from './kind.ts'

export const entryShape = ({ body }: Kind): RecordShape =>
  record({ ...body.shape.members, CreateIndex: uint(), ModifyIndex: uint() })
