//! Translation of systems to place/transition nets.
//!
//! The net has a place for each state of a component. For each label and each combination of edges
//! of its owners, it has a transition labelled with the label. If some component has a root or
//! several start states, every component begins in a root place. The joint first step is a
//! transition for each combination of start states; its name is empty in RERS and `(start)` here.
//! The places of a component form a unit, because a component is always in exactly one state.
//!
//! Source: the PNML files of RERS; the sizes of the nets agree (2017, 101: 47 places, 45
//! transitions).

use crate::system::{LabelId, System};
use parikh_net::units::{Unit, Units, UnitsError};
use parikh_net::{BuildError, Net, NetBuilder, PlaceId, TransitionId, UnitId};

/// The reason why a system has no net.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NetError {
    /// There are too many combinations of edges. The field is the limit on transitions.
    #[error("the net would have more than {0} transitions: its labels have too many combinations")]
    TooLarge(usize),
    /// The net builder reports an error.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The units are invalid.
    #[error(transparent)]
    Units(#[from] UnitsError),
}

/// Builds the net of a system, with at most `max_transitions` transitions.
///
/// # Errors
/// Returns an error if the net would have more transitions, or if the net builder or the
/// construction of the units fails.
pub fn net(system: &System, max_transitions: usize) -> Result<Net, NetError> {
    let components = system.components();
    let has_roots = has_roots(system);
    let mut builder = NetBuilder::new(system.name());
    let mut places: Vec<Vec<PlaceId>> = Vec::new();
    let mut roots = Vec::new();
    let mut units = vec![Unit { name: "system".into(), places: Vec::new(), parent: None }];
    for (component_number, component) in components.iter().enumerate() {
        let mut unit_places = Vec::new();
        if has_roots {
            let name = component.root().unwrap_or("root");
            let place = add_place(&mut builder, component_number, name, 1)?;
            roots.push(place);
            unit_places.push(place);
        }
        let mut state_places = Vec::new();
        for (state, name) in (0..).zip(component.states()) {
            let tokens = u64::from(!has_roots && component.starts() == [state]);
            let place = add_place(&mut builder, component_number, name, tokens)?;
            if component.title(state) != name {
                builder.label_place(place, component.title(state));
            }
            state_places.push(place);
        }
        unit_places.extend(&state_places);
        let name = format!("{component_number}_{}", component.name()).into();
        units.push(Unit { name, places: unit_places, parent: Some(UnitId::new(0)) });
        places.push(state_places);
    }
    let mut transition_count = 0;
    let mut transition = |builder: &mut NetBuilder, label: &str, arcs: &[(PlaceId, PlaceId)]| {
        transition_count += 1;
        if transition_count > max_transitions {
            return Err(NetError::TooLarge(max_transitions));
        }
        let t = add_transition(builder, &format!("t{transition_count}_{label}"))?;
        builder.label_transition(t, label);
        for &(from, to) in arcs {
            builder.take(t, from, 1)?;
            builder.put(t, to, 1)?;
        }
        Ok(())
    };
    if has_roots {
        let start = |component_number: usize| -> Vec<(PlaceId, PlaceId)> {
            components[component_number]
                .starts()
                .iter()
                .map(|&it| (roots[component_number], places[component_number][it as usize]))
                .collect()
        };
        let choices: Vec<_> = (0..components.len()).map(start).collect();
        for_each_combination(&choices, |arcs| transition(&mut builder, "(start)", arcs))?;
    }
    for label in system.labels() {
        let owners = system.owners(label).iter();
        let choices: Vec<_> = owners
            .map(|&component_number| {
                edges(system, &places[component_number as usize], component_number as usize, label)
            })
            .collect();
        for_each_combination(&choices, |arcs| transition(&mut builder, system.label(label), arcs))?;
    }
    let initial = builder.initial();
    let names: Vec<String> = (0..builder.place_count())
        .map(|place_index| builder.place_name(PlaceId::new(place_index)).to_owned())
        .collect();
    let name = |place: PlaceId| names[place.index()].as_str();
    builder.set_units(Units::new(units, UnitId::new(0), true, &initial, name)?);
    Ok(builder.build()?)
}

/// Returns, for each place of the [`net`] of a system, its component and state. The state is `None`
/// for a root.
pub fn states_of_places(system: &System) -> Vec<(u32, Option<u32>)> {
    let root = has_roots(system).then_some(None);
    let components = (0..).zip(system.components());
    let places = components.flat_map(|(component_number, component)| {
        let states = (0..component.states().len() as u32).map(Some);
        root.into_iter().chain(states).map(move |state| (component_number, state))
    });
    places.collect()
}

/// Returns true if each component gets a root place, in which it begins. This is so if some
/// component has a root or several start states. All components leave their root places together.
fn has_roots(system: &System) -> bool {
    system.components().iter().any(|it| it.root().is_some() || it.starts().len() > 1)
}

/// Returns the edges of a component with a label, as pairs of places.
fn edges(
    system: &System,
    places: &[PlaceId],
    component: usize,
    label: LabelId,
) -> Vec<(PlaceId, PlaceId)> {
    let component = &system.components()[component];
    let mut edges = Vec::new();
    for (state, &from) in (0..).zip(places) {
        let row = component.edges(state).iter().filter(|edge| edge.0 == label);
        edges.extend(row.map(|&(_, to)| (from, places[to as usize])));
    }
    edges
}

/// Calls `handle_arcs` for every combination of one element of each list. No list may be empty.
/// Stops at the first error.
fn for_each_combination(
    choices: &[Vec<(PlaceId, PlaceId)>],
    mut handle_arcs: impl FnMut(&[(PlaceId, PlaceId)]) -> Result<(), NetError>,
) -> Result<(), NetError> {
    let mut choice_indices = vec![0; choices.len()];
    loop {
        let arcs: Vec<_> = choices
            .iter()
            .zip(&choice_indices)
            .map(|(edges_of_component, &choice)| edges_of_component[choice])
            .collect();
        handle_arcs(&arcs)?;
        let Some(digit) = (0..choice_indices.len())
            .find(|&choice| choice_indices[choice] + 1 < choices[choice].len())
        else {
            return Ok(());
        };
        choice_indices[..digit].fill(0);
        choice_indices[digit] += 1;
    }
}

/// Adds a place for a state. Its id contains the component number, because state names may repeat.
fn add_place(
    builder: &mut NetBuilder,
    component: usize,
    state: &str,
    tokens: u64,
) -> Result<PlaceId, BuildError> {
    let mut id = format!("p{component}_{state}");
    while builder.node(&id).is_some() {
        id.push('\'');
    }
    builder.place(&id, tokens)
}

fn add_transition(builder: &mut NetBuilder, id: &str) -> Result<TransitionId, BuildError> {
    let mut id = id.to_owned();
    while builder.node(&id).is_some() {
        id.push('\'');
    }
    builder.transition(&id)
}
