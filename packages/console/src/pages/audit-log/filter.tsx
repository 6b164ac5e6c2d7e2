import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { FilterForm, SinceInput, startOfDay } from '#ui/filter-form.tsx'
import { actions } from './actions.ts'
import { type AuditSearch, readAuditSearch } from './search.ts'

interface AuditFilterProps {
  search: AuditSearch
  onApply: (search: AuditSearch) => unknown
}

/** Limits the log to an action, an actor or the time since a day. */
export const AuditFilter = ({ search, onApply }: AuditFilterProps) => {
  const [action, setAction] = useState(search.action ?? null)
  const [actor, setActor] = useState(search.actor ?? '')
  const [day, setDay] = useState(search.from?.slice(0, 10) ?? '')
  const apply = () => onApply(readAuditSearch({ action, actor: actor.trim(), from: startOfDay(day) }))
  return (
    <FilterForm onSubmit={apply}>
      <Select
        label={t('Action')}
        data={actions}
        value={action}
        onChange={setAction}
        clearable
        searchable
        placeholder={t('Any action')}
      />
      <TextInput
        label={t('Actor')}
        placeholder={t('E-mail, name or ID')}
        value={actor}
        onChange={event => setActor(event.currentTarget.value)}
      />
      <SinceInput day={day} onChange={setDay} />
    </FilterForm>
  )
}
