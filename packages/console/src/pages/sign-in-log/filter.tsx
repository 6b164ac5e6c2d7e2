/** The filters of the sign-in log. */
import { NativeSelect, TextInput } from '@mantine/core'
import { signInKinds } from '@querent/contract/manage'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { FilterForm, SinceInput, startOfDay } from '#ui/filter-form.tsx'
import { kindLabels } from './labels.ts'
import { readSignInSearch, type SignInSearch } from './search.ts'

interface FilterProps {
  search: SignInSearch
  onChange: (search: SignInSearch) => void
}

export const Filter = ({ search, onChange }: FilterProps) => {
  const [outcome, setOutcome] = useState<string>(search.outcome ?? '')
  const [kind, setKind] = useState<string>(search.kind ?? '')
  const [user, setUser] = useState(search.user ?? '')
  const [address, setAddress] = useState(search.address ?? '')
  const [day, setDay] = useState(search.from?.slice(0, 10) ?? '')
  const apply = () =>
    onChange(
      readSignInSearch({
        outcome,
        kind,
        user: user.trim(),
        address: address.trim(),
        from: startOfDay(day),
      }),
    )
  return (
    <FilterForm onSubmit={apply}>
      <NativeSelect
        label={t('Outcome')}
        value={outcome}
        onChange={event => setOutcome(event.currentTarget.value)}
        data={[
          { value: '', label: t('All') },
          { value: 'ok', label: t('Succeeded') },
          { value: 'failed', label: t('Failed') },
        ]}
      />
      <NativeSelect
        label={t('What happened')}
        value={kind}
        onChange={event => setKind(event.currentTarget.value)}
        data={[
          { value: '', label: t('All') },
          ...signInKinds.map(value => ({ value, label: kindLabels[value] })),
        ]}
      />
      <TextInput
        label={t('Person')}
        placeholder={t('E-mail, name or ID')}
        maxLength={254}
        value={user}
        onChange={event => setUser(event.currentTarget.value)}
      />
      <TextInput
        label={t('IP address')}
        placeholder={t('Or its beginning')}
        maxLength={45}
        value={address}
        onChange={event => setAddress(event.currentTarget.value)}
      />
      <SinceInput day={day} onChange={setDay} />
    </FilterForm>
  )
}
