with

controls as (
    select * from {{ source('raw', 'negative_controls') }}
),

prompts as (
    select
        study_id,
        prompt_id,
        root_prompt_id,
        negative_control,
        string_split(trim(regexp_replace(prompt_text, '\s+', ' ', 'g')), ' ') as words
    from {{ source('raw', 'prompts') }}
    where study_id in (select study_id from controls)
),

prompt_words as (
    select study_id, root_prompt_id, prompt_id, negative_control, word, count(*) as n
    from (select * exclude (words), unnest(words) as word from prompts) as words
    group by study_id, root_prompt_id, prompt_id, negative_control, word
),

lengths as (
    select study_id, root_prompt_id, prompt_id, negative_control, sum(n) as n_words
    from prompt_words
    group by study_id, root_prompt_id, prompt_id, negative_control
),

branches as (
    select *, count(*) over (partition by study_id, root_prompt_id) as n_branches
    from lengths
    where negative_control is null
),

-- a word that each of them has is common as often as it stands in the one with the fewest of it
common_words as (
    select study_id, root_prompt_id, word, min(n) as n
    from prompt_words
    inner join branches using (study_id, root_prompt_id, prompt_id)
    group by study_id, root_prompt_id, word
    having count(*) = min(n_branches)
),

common_counts as (
    select study_id, root_prompt_id, sum(n) as n_common
    from common_words
    group by study_id, root_prompt_id
),

of_groups as (
    select study_id, avg(n_words - coalesce(n_common, 0)) as n_words_of_groups
    from branches
    left join common_counts using (study_id, root_prompt_id)
    where n_branches > 1
    group by study_id
),

shared_counts as (
    select
        edited.study_id,
        edited.prompt_id,
        of_branch.prompt_id as branch_id,
        sum(least(edited.n, of_branch.n)) as n_shared
    from prompt_words as edited
    inner join prompt_words as of_branch using (study_id, root_prompt_id, word)
    where edited.negative_control is not null and of_branch.negative_control is null
    group by edited.study_id, edited.prompt_id, of_branch.prompt_id
),

-- of the branch that it differs from least, which is the one that was edited
edits as (
    select
        lengths.study_id,
        lengths.negative_control,
        lengths.prompt_id,
        min(greatest(lengths.n_words, branches.n_words) - coalesce(n_shared, 0)) as n_words
    from lengths
    inner join branches using (study_id, root_prompt_id)
    left join shared_counts
        on lengths.study_id = shared_counts.study_id
        and lengths.prompt_id = shared_counts.prompt_id
        and branches.prompt_id = shared_counts.branch_id
    where lengths.negative_control is not null
    group by lengths.study_id, lengths.negative_control, lengths.prompt_id
),

of_controls as (
    select study_id, negative_control, avg(n_words) as n_words
    from edits
    group by study_id, negative_control
),

counts as (
    select study_id, negative_control, count(*) as n_prompts, count(distinct root_prompt_id) as n_root_prompts
    from prompts
    where negative_control is not null
    group by study_id, negative_control
)

select
    study_id,
    negative_control,
    controls.control_position,
    controls.control_type,
    controls.place,
    controls.edit_text,
    controls.branch,
    coalesce(counts.n_prompts, 0) as n_prompts,
    coalesce(counts.n_root_prompts, 0) as n_root_prompts,
    of_controls.n_words,
    of_groups.n_words_of_groups
from controls
left join counts using (study_id, negative_control)
left join of_controls using (study_id, negative_control)
left join of_groups using (study_id)
