/** Builds the filter of an audience: groups of all or any, with conditions on the profile. */
import { XMarkIcon } from '@heroicons/react/16/solid'
import { ActionIcon, Button, SegmentedControl, Select, TextInput } from '@mantine/core'
import { texts, useTexts } from '../../language/language.tsx'
import styles from '../people.module.css'
import {
  type Condition,
  type ConditionOperator,
  conditionOperators,
  type Group,
  isGroup,
  newCondition,
  newGroup,
  operands,
} from './audience-filter.ts'

/** The depth of the API is 8; what the builder offers stays readable. */
const DEPTH_MAX = 4

/** With the words of the operators. */
export const builderTexts = texts({
  en: {
    all: 'All of',
    any: 'Any of',
    match: 'How the conditions are joined',
    addCondition: 'Add condition',
    addGroup: 'Add group',
    remove: 'Remove',
    path: 'Field of the profile',
    pathHint: 'plan, address.city',
    operator: 'Operator',
    value: 'Value',
    valueHint: 'several with commas',
    tenantHint: 'tenant ids',
    tenant: 'Tenant',
    EQ: 'is',
    NEQ: 'is not',
    INCLUDES: 'contains',
    OMIT: 'does not contain',
    STARTS_WITH: 'begins with',
    ENDS_WITH: 'ends with',
    EXISTS: 'is there',
    GT: 'is greater than',
    GTE: 'is at least',
    LT: 'is less than',
    LTE: 'is at most',
    IS_BEFORE: 'is before',
    IS_AFTER: 'is after',
    MEMBER_OF: 'is member of',
  },
  de: {
    all: 'Alle davon',
    any: 'Eines davon',
    match: 'Verknüpfung der Bedingungen',
    addCondition: 'Bedingung hinzufügen',
    addGroup: 'Gruppe hinzufügen',
    remove: 'Entfernen',
    path: 'Feld des Profils',
    pathHint: 'plan, address.city',
    operator: 'Vergleich',
    value: 'Wert',
    valueHint: 'mehrere mit Kommas',
    tenantHint: 'Mandanten-Ids',
    tenant: 'Mandant',
    EQ: 'ist',
    NEQ: 'ist nicht',
    INCLUDES: 'enthält',
    OMIT: 'enthält nicht',
    STARTS_WITH: 'beginnt mit',
    ENDS_WITH: 'endet mit',
    EXISTS: 'ist vorhanden',
    GT: 'ist größer als',
    GTE: 'ist mindestens',
    LT: 'ist kleiner als',
    LTE: 'ist höchstens',
    IS_BEFORE: 'ist vor',
    IS_AFTER: 'ist nach',
    MEMBER_OF: 'gehört zu',
  },
})

export interface FilterBuilderProps {
  group: Group
  isReadOnly: boolean
  change(group: Group): void
  remove?: () => void
  depth?: number
}

export function FilterBuilder({ group, isReadOnly, change, remove, depth = 1 }: FilterBuilderProps) {
  const t = useTexts(builderTexts)
  const setPart = (key: string, next: Group | Condition | undefined) =>
    change({
      ...group,
      parts: group.parts.flatMap((part) => (part.key === key ? (next ? [next] : []) : [part])),
    })
  const add = (part: Group | Condition) => change({ ...group, parts: [...group.parts, part] })
  return (
    <div
      className={styles.group}
      role="group"
      aria-label={group.operator === 'OR' ? t.any : t.all}
      data-any={group.operator === 'OR'}
    >
      <div className={styles.groupHead}>
        <SegmentedControl
          size="xs"
          aria-label={t.match}
          disabled={isReadOnly}
          value={group.operator}
          onChange={(operator) => change({ ...group, operator: operator === 'OR' ? 'OR' : 'AND' })}
          data={[
            { value: 'AND', label: t.all },
            { value: 'OR', label: t.any },
          ]}
        />
        {remove && !isReadOnly && <RemoveButton label={t.remove} act={remove} />}
      </div>
      {group.parts.map((part) =>
        isGroup(part) ? (
          <FilterBuilder
            key={part.key}
            {...{ group: part, isReadOnly, depth: depth + 1 }}
            change={(next) => setPart(part.key, next)}
            remove={() => setPart(part.key, undefined)}
          />
        ) : (
          <ConditionRow
            key={part.key}
            {...{ condition: part, isReadOnly }}
            change={(next) => setPart(part.key, next)}
            remove={() => setPart(part.key, undefined)}
          />
        ),
      )}
      {!isReadOnly && (
        <div className={styles.groupHead}>
          <Button size="compact-sm" variant="default" onClick={() => add(newCondition())}>
            {t.addCondition}
          </Button>
          {depth < DEPTH_MAX && (
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => add(newGroup(group.operator === 'AND' ? 'OR' : 'AND'))}
            >
              {t.addGroup}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

interface ConditionRowProps {
  condition: Condition
  isReadOnly: boolean
  change(condition: Condition): void
  remove(): void
}

function ConditionRow({ condition, isReadOnly, change, remove }: ConditionRowProps) {
  const t = useTexts(builderTexts)
  const { operator, path, value } = condition
  const isMembership = operands[operator] === 'tenants'
  return (
    <div className={styles.condition}>
      <TextInput
        aria-label={t.path}
        placeholder={t.pathHint}
        readOnly={isReadOnly}
        disabled={isMembership}
        value={isMembership ? t.tenant : path}
        onChange={(event) => change({ ...condition, path: event.currentTarget.value })}
      />
      {/* The select has a hidden input beside it, which would be a cell of the grid. */}
      <div>
        <Select
          aria-label={t.operator}
          allowDeselect={false}
          readOnly={isReadOnly}
          value={operator}
          data={conditionOperators.map((name) => ({ value: name as string, label: t[name] }))}
          onChange={(next) => {
            const chosen: ConditionOperator | undefined = conditionOperators.find((name) => name === next)
            if (chosen) change({ ...condition, operator: chosen })
          }}
        />
      </div>
      {operands[operator] === 'nothing' ? (
        <span />
      ) : (
        <TextInput
          aria-label={t.value}
          placeholder={isMembership ? t.tenantHint : t.valueHint}
          readOnly={isReadOnly}
          value={value}
          onChange={(event) => change({ ...condition, value: event.currentTarget.value })}
        />
      )}
      {isReadOnly ? <span /> : <RemoveButton label={t.remove} act={remove} />}
    </div>
  )
}

const RemoveButton = ({ label, act }: { label: string; act(): void }) => (
  <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={act}>
    <XMarkIcon width={16} aria-hidden />
  </ActionIcon>
)
